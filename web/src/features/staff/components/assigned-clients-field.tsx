// The clients of a member of the staff: a search that assigns at once, and the assigned ones.
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';

import { QueryContent } from '~/components/query-content';
import { activityKeys } from '~/features/activity/api';
import { clientKeys } from '~/features/clients/api/clients';
import { useClientSearch } from '~/features/clients/components/use-client-search';
import { assign, assignedClientsQuery, assignmentKeys, unassign } from '~/features/staff/assignments-api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { pluralize } from '~/lib/format';
import { Combobox } from '~/ui/combobox';
import { Field } from '~/ui/field';
import { IconButton } from '~/ui/icon-button';
import { SkeletonList } from '~/ui/skeleton';

const invalidates = [assignmentKeys.all, clientKeys.all, activityKeys.all];

export function AssignedClientsField({ staffId }: { staffId: string }) {
  const { clients: found, isSearching, isAnswered, setSearch } = useClientSearch();
  const assigned = useQuery(assignedClientsQuery(staffId));
  const assignment = useApiMutation({
    mutationFn: assign,
    invalidates,
    errorToast: { title: 'Erro ao atribuir', fallback: 'O servidor recusou a mudança.' },
  });
  const removal = useApiMutation({
    mutationFn: unassign,
    invalidates,
    errorToast: { title: 'Erro ao remover', fallback: 'O servidor recusou a mudança.' },
  });
  const taken = new Set(assigned.data?.map(({ clientId }) => clientId));
  const free = found.filter(({ id }) => !taken.has(id));
  return (
    <div className="flex flex-col gap-3">
      <Field label="Atribuir clientes" hint="Cada escolha vale na hora.">
        {(control) => (
          <Combobox
            {...control}
            options={free.map(({ id, email, fullName }) =>
              fullName === null ? { value: id, label: email } : { value: id, label: fullName, hint: email },
            )}
            selected={null}
            onSelect={(option) =>
              option && assignment.mutate([{ client_id: option.value, staff_id: staffId }])
            }
            onSearch={setSearch}
            isAnswered={isAnswered}
            placeholder="Buscar por nome ou email..."
            empty={isSearching ? 'Buscando…' : 'Nenhum cliente encontrado'}
          />
        )}
      </Field>
      <QueryContent query={assigned} loading={<SkeletonList rows={2} rowClassName="h-11" />}>
        {(clients) => (
          <div>
            <p role="status" className="text-muted-foreground text-sm">
              {clients.length === 0
                ? 'Nenhum cliente atribuído.'
                : pluralize(clients.length, 'cliente atribuído', 'clientes atribuídos')}
            </p>
            <ul aria-label="Clientes atribuídos" className="divide-border max-h-64 divide-y overflow-y-auto">
              {clients.map(({ id, email, fullName }) => (
                <li key={id} className="flex items-center gap-2">
                  <span className="min-w-0 flex-1 truncate">{fullName ?? email}</span>
                  <IconButton
                    label={`Remover ${fullName ?? email}`}
                    icon={<X size={16} aria-hidden />}
                    disabled={removal.isPending}
                    onClick={() => removal.mutate({ id })}
                  />
                </li>
              ))}
            </ul>
          </div>
        )}
      </QueryContent>
    </div>
  );
}
