// New request: clients, month, and the items that each client is asked for.
import { type FormEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useNavigate } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { SAVED, UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import { createItems, type ItemCounts } from '~/features/requests/api/admin-requests';
import { requestKeys } from '~/features/requests/api/requests';
import { requestTemplatesQuery } from '~/features/requests/api/templates';
import { formatMonth } from '~/features/requests/request-labels';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { queryClient } from '~/lib/api/query-client';
import { today } from '~/lib/dates';
import { pluralize } from '~/lib/format';
import { INCOMPLETE_INPUT, isIncomplete } from '~/lib/incomplete-input';
import type { ToastMessage } from '~/lib/toast';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

import { type ChosenClient, ClientsField } from './clients-field';
import { type DraftItem, emptyItem, fillFromTemplate } from './draft-items';
import { ItemsField } from './items-field';
import { useRequestDraft, useStoredRequest } from './request-draft';
import { TemplateBar } from './template-bar';

export function loader() {
  void queryClient.prefetchQuery(requestTemplatesQuery());
  return null;
}

export { RequestCreatePage as Component };

function RequestCreatePage() {
  const navigate = useNavigate();
  const { restored, remove } = useRequestDraft();
  const [clients, setClients] = useState<ChosenClient[]>(restored?.clients ?? []);
  const [items, setItems] = useState<DraftItem[]>(() => restored?.items ?? [emptyItem()]);
  /** The items of the template that was chosen last, as it has them. */
  const [filled, setFilled] = useState<readonly DraftItem[]>([]);
  const [month, setMonth] = useState(() => restored?.month ?? today().slice(0, 7));
  const [dueOn, setDueOn] = useState(restored?.dueOn ?? '');
  const dueField = useRef<HTMLInputElement>(null);
  const [dueFault, setDueFault] = useState<string>();
  const [isChecked, setIsChecked] = useState(false);
  const named = items
    .filter(({ name }) => name.trim() !== '')
    .map(({ name, hint, repeats_monthly }) => ({ name: name.trim(), hint, repeats_monthly }));
  const isWritten = clients.length > 0 || named.length > 0;
  useStoredRequest({ clients, items, month, dueOn }, isWritten);
  const creation = useApiMutation({
    mutationFn: createItems,
    invalidates: [requestKeys.all],
    successToast: (counts) => createdToast({ ...counts, clients: clients.length, month }),
    errorToast: { title: 'Erro ao criar solicitação' },
    onSuccess: remove,
    onSuccessIfMounted: () => void navigate(paths.adminRequestMonth(month), { state: SAVED }),
  });

  const findDueFault = () => {
    if (isIncomplete(dueField.current)) return INCOMPLETE_INPUT;
    return dueOn !== '' && dueOn < today() ? 'O prazo já passou.' : undefined;
  };

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (creation.isPending) return;
    const fault = findDueFault();
    if (clients.length === 0 || named.length < items.length || month === '' || fault !== undefined) {
      flushSync(() => {
        setIsChecked(true);
        setDueFault(fault);
      });
      event.currentTarget.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
      return;
    }
    creation.mutate({
      clients: clients.map(({ id }) => id),
      items: named.map((item) => ({ ...item, month, due_on: dueOn || null })),
    });
  };

  return (
    <>
      <PageHeader
        title="Nova solicitação"
        description="Cada cliente escolhido recebe todos os itens."
        back={{ to: paths.adminRequests(), label: 'Voltar para Solicitações' }}
      />
      {restored && isWritten && (
        <Alert variant="info" className="mb-6">
          A solicitação que você começou continua aqui, e ainda não foi criada.
        </Alert>
      )}
      <Card>
        <form noValidate onSubmit={submit} className="flex flex-col gap-8 p-5 sm:p-6">
          <ClientsField
            clients={clients}
            error={isChecked && clients.length === 0 ? 'Escolha pelo menos um cliente.' : undefined}
            onChange={setClients}
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <Field
              label="Mês de referência *"
              required
              error={isChecked && month === '' ? 'Escolha o mês.' : undefined}
            >
              {(control) => (
                <Input
                  {...control}
                  type="month"
                  value={month}
                  onChange={({ target }) => setMonth(target.value)}
                />
              )}
            </Field>
            <Field
              label="Prazo (opcional)"
              hint="Nos itens que se repetem, o prazo anda um mês a cada vez."
              error={dueFault}
            >
              {(control) => (
                <Input
                  {...control}
                  ref={dueField}
                  type="date"
                  value={dueOn}
                  onChange={({ target }) => {
                    setDueOn(target.value);
                    setDueFault(undefined);
                  }}
                />
              )}
            </Field>
          </div>
          <TemplateBar
            items={named}
            onPick={(template) => {
              const { kept, added } = fillFromTemplate(items, filled, template);
              setItems([...kept, ...added]);
              setFilled(added);
            }}
          />
          <ItemsField
            items={items}
            error={isChecked ? 'O item precisa de um nome.' : undefined}
            onChange={setItems}
          />
          <Button type="submit" pending={creation.isPending} className="sm:self-end">
            Solicitar
          </Button>
        </form>
      </Card>
      <UnsavedChangesGuard
        enabled={isWritten && !creation.isPending}
        description="A solicitação ainda não foi criada."
        onDiscardDraft={remove}
      />
    </>
  );
}

/** `clients` is their number. The page that follows is the month, where existing items are. */
function createdToast({
  created,
  existing,
  clients,
  month,
}: ItemCounts & { clients: number; month: string }): ToastMessage {
  const asked = `${pluralize(existing, 'item já tinha sido pedido', 'itens já tinham sido pedidos')} em ${formatMonth(month)}`;
  if (created === 0) {
    return {
      title: 'Nenhum item novo',
      description: `${asked}. Abra ${existing === 1 ? 'o item' : 'um item'} para ver a situação ou lembrar o cliente.`,
    };
  }
  return {
    title: 'Solicitação criada',
    description:
      existing === 0
        ? pluralize(clients, 'cliente vê os itens no portal', 'clientes veem os itens no portal')
        : `${pluralize(created, 'item novo', 'itens novos')}. ${asked} e ${existing === 1 ? 'ficou como estava' : 'ficaram como estavam'}.`,
  };
}
