// Actions on the selected tickets of the queue.
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, UserCheck } from 'lucide-react';
import { useState } from 'react';

import type { Selection } from '~/components/list-table/bulk-bar';
import { useUser } from '~/features/auth/session';
import { staffQuery } from '~/features/staff/api';
import { updateTickets } from '~/features/tickets/api/ticket-queue';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { pluralize } from '~/lib/format';
import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';
import { Select } from '~/ui/select';

const NOBODY = 'nobody';

export function TicketBulkActions({ ids, clear }: Selection) {
  const [action, setAction] = useState<'assign' | 'close' | null>(null);
  const end = () => setAction(null);
  const update = useUpdateTickets({ onSettled: end, onDone: clear });
  return (
    <>
      <Button variant="quiet" icon={<UserCheck size={20} aria-hidden />} onClick={() => setAction('assign')}>
        Atribuir
      </Button>
      <Button variant="quiet" icon={<CircleCheck size={20} aria-hidden />} onClick={() => setAction('close')}>
        Fechar
      </Button>
      {action === 'assign' && <AssignDialog ids={ids} onClose={end} onDone={clear} />}
      <ConfirmDialog
        open={action === 'close'}
        onOpenChange={(open) => !open && end()}
        title="Fechar tickets"
        description={`${pluralize(ids.length, 'ticket será fechado', 'tickets serão fechados')}. Os clientes podem reabri-los com uma nova mensagem.`}
        confirm="Fechar"
        pending={update.isPending}
        onConfirm={() => update.mutate({ ids, change: { status: 'closed' } })}
      />
    </>
  );
}

type AssignDialogProps = { ids: readonly string[]; onClose: () => void; onDone: () => void };

function AssignDialog({ ids, onClose, onDone }: AssignDialogProps) {
  const { id: me } = useUser();
  const { data: staff = [] } = useQuery(staffQuery());
  const [assignee, setAssignee] = useState(me);
  const update = useUpdateTickets({ onSettled: onClose, onDone });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !update.isPending && onClose()}
      title="Atribuir tickets"
      description={pluralize(ids.length, 'ticket selecionado.', 'tickets selecionados.')}
      footer={
        <>
          <Button variant="secondary" disabled={update.isPending} onClick={onClose}>
            Cancelar
          </Button>
          <Button
            pending={update.isPending}
            onClick={() =>
              update.mutate({ ids, change: { assignee_id: assignee === NOBODY ? null : assignee } })
            }
          >
            Atribuir
          </Button>
        </>
      }
    >
      <Field label="Responsável">
        {(control) => (
          <Select
            {...control}
            options={[
              ...staff.map(({ id, name }) => ({ value: id, label: id === me ? `${name} (você)` : name })),
              { value: NOBODY, label: 'Ninguém' },
            ]}
            value={assignee}
            onChange={({ target }) => setAssignee(target.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}

/** Changes tickets, and shows how many. */
export function useUpdateTickets({
  onSettled,
  onDone,
}: { onSettled?: () => void; onDone?: () => void } = {}) {
  return useApiMutation({
    mutationFn: updateTickets,
    invalidates: [ticketKeys.all],
    successToast: (changed) => ({ title: pluralize(changed, 'ticket atualizado', 'tickets atualizados') }),
    errorToast: { title: 'Erro ao salvar tickets' },
    ...(onSettled && { onSettled }),
    ...(onDone && { onSuccessIfMounted: onDone }),
  });
}
