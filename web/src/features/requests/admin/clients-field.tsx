// The clients of a request: a search, and the chosen ones.
import { X } from 'lucide-react';

import { type Client, iterateClients } from '~/features/clients/api/clients';
import { useClientSearch } from '~/features/clients/components/use-client-search';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { pluralize } from '~/lib/format';
import { Button } from '~/ui/button';
import { Combobox } from '~/ui/combobox';
import { Field } from '~/ui/field';
import { IconButton } from '~/ui/icon-button';

/** The part of a client that the form keeps. */
export type ChosenClient = Pick<Client, 'id' | 'email' | 'fullName'>;

type ClientsFieldProps = {
  clients: readonly ChosenClient[];
  error: string | undefined;
  onChange: (clients: ChosenClient[]) => void;
};

/** Number of chosen clients that are listed by name. */
const MAX_LISTED = 12;

export function ClientsField({ clients, error, onChange }: ClientsFieldProps) {
  const { clients: found, isSearching, isAnswered, setSearch } = useClientSearch();
  const chosen = new Set(clients.map(({ id }) => id));
  const addable = found.filter(({ id }) => !chosen.has(id));
  const adding = useApiMutation({
    mutationFn: allClients,
    errorToast: { title: 'Erro ao buscar clientes' },
    onSuccessIfMounted: onChange,
  });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-3">
        <Field label="Clientes *" required error={error} className="min-w-56 flex-1">
          {(control) => (
            <Combobox
              {...control}
              options={addable.map(({ id, email, fullName }) =>
                fullName === null ? { value: id, label: email } : { value: id, label: fullName, hint: email },
              )}
              selected={null}
              onSelect={(option) => {
                const client = addable.find(({ id }) => id === option?.value);
                if (client) onChange([...clients, client]);
              }}
              onSearch={setSearch}
              isAnswered={isAnswered}
              placeholder="Adicionar cliente..."
              empty={isSearching ? 'Buscando…' : 'Nenhum cliente encontrado'}
            />
          )}
        </Field>
        <Button
          variant="secondary"
          pending={adding.isPending}
          onClick={() => adding.mutate()}
          className="sm:mt-6.5"
        >
          Adicionar todos
        </Button>
      </div>
      {clients.length > 0 && (
        <div>
          <p role="status" className="text-muted-foreground mb-2 flex flex-wrap items-center gap-x-3 text-sm">
            {pluralize(clients.length, 'cliente escolhido', 'clientes escolhidos')}
            {clients.length > 1 && (
              <Button variant="quiet" className="-my-2 px-2 text-sm" onClick={() => onChange([])}>
                Remover todos
              </Button>
            )}
          </p>
          <ul aria-label="Clientes escolhidos" className="flex flex-wrap gap-2">
            {clients.slice(0, MAX_LISTED).map((client) => {
              const name = client.fullName ?? client.email;
              return (
                <li
                  key={client.id}
                  className="border-border bg-card flex max-w-full items-center rounded-full border pl-3"
                >
                  <span className="truncate text-sm">{name}</span>
                  <IconButton
                    label={`Remover ${name}`}
                    icon={<X size={16} aria-hidden />}
                    onClick={() => onChange(clients.filter(({ id }) => id !== client.id))}
                  />
                </li>
              );
            })}
            {clients.length > MAX_LISTED && (
              <li className="text-muted-foreground flex min-h-11 items-center text-sm">
                {`e mais ${pluralize(clients.length - MAX_LISTED, 'cliente', 'clientes')}`}
              </li>
            )}
          </ul>
        </div>
      )}
    </div>
  );
}

async function allClients(): Promise<Client[]> {
  const clients: Client[] = [];
  for await (const page of iterateClients(new AbortController().signal)) clients.push(...page);
  return clients;
}
