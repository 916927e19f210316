// Cards of the tickets that were written without a network.
import { Clock } from 'lucide-react';
import { lazy, Suspense, useState, useSyncExternalStore } from 'react';
import { useNavigate } from 'react-router';

import { useUser } from '~/features/auth/session';
import { useActiveClientId } from '~/features/members/client-choice';
import { discardQueuedTicket, reopenQueuedTicket } from '~/features/tickets/queue/send-queued-tickets';
import { type QueuedTicket, useQueuedTickets } from '~/features/tickets/queue/ticket-queue';
import { serverStatus } from '~/lib/api/server-status';
import { toast } from '~/lib/toast';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { Spinner } from '~/ui/spinner';

// Loaded on demand, because most of the tickets are sent.
const ConfirmDialog = lazy(async () => ({ default: (await import('~/ui/confirm-dialog')).ConfirmDialog }));

const BEING_SENT = {
  title: 'O ticket já está sendo enviado',
  description: 'Espere o envio terminar e abra o ticket na lista.',
};

/** The tickets for the client for whom the person acts. */
export function QueuedTickets() {
  const { id: userId } = useUser();
  const active = useActiveClientId();
  const tickets = useQueuedTickets(userId).filter(({ client }) => active === undefined || client === active);
  if (tickets.length === 0) return null;
  return (
    <ul aria-label="Tickets guardados neste aparelho" className="mb-3 flex flex-col gap-3">
      {tickets.map((ticket) => (
        <li key={ticket.id}>
          <QueuedTicketCard ticket={ticket} />
        </li>
      ))}
    </ul>
  );
}

function QueuedTicketCard({ ticket }: { ticket: QueuedTicket }) {
  const { id, state, reason, values } = ticket;
  const { id: userId } = useUser();
  const navigate = useNavigate();
  // The dialog stays mounted after its first question, for its exit animation.
  const [discard, setDiscard] = useState({ asked: false, open: false });
  const edit = async () => {
    if (await reopenQueuedTicket(userId, id)) void navigate(paths.ticketNew());
    else toast(BEING_SENT);
  };
  const remove = async () => {
    if (!(await discardQueuedTicket(userId, id))) toast(BEING_SENT);
  };
  return (
    <Card className="p-5">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <h2 className="min-w-0 text-lg wrap-anywhere">{values.subject}</h2>
        <QueueBadge state={state} />
      </div>
      <p className="text-muted-foreground mt-1.5 line-clamp-2 wrap-anywhere">{values.message}</p>
      {state === 'refused' && (
        <p className="text-danger mt-3">{reason} Edite o ticket e envie de novo, ou exclua-o.</p>
      )}
      {state === 'sending' ? (
        <p className="text-muted-foreground mt-3 text-sm">
          O envio já começou. Ele termina quando houver conexão, sem repetir o ticket.
        </p>
      ) : (
        <div className="mt-3 flex gap-2 max-sm:*:flex-1 sm:justify-end">
          <Button
            variant="quiet-danger"
            aria-label={`Excluir ${values.subject}`}
            onClick={() => setDiscard({ asked: true, open: true })}
          >
            Excluir
          </Button>
          <Button variant="secondary" aria-label={`Editar ${values.subject}`} onClick={() => void edit()}>
            Editar
          </Button>
        </div>
      )}
      {discard.asked && (
        <Suspense>
          <ConfirmDialog
            open={discard.open}
            onOpenChange={(open) => setDiscard({ asked: true, open })}
            title="Excluir o ticket?"
            description={`“${values.subject}” ainda não foi enviado e será apagado deste aparelho.`}
            confirm="Excluir ticket"
            danger
            onConfirm={() => void remove()}
          />
        </Suspense>
      )}
    </Card>
  );
}

function QueueBadge({ state }: Pick<QueuedTicket, 'state'>) {
  const isUp = useSyncExternalStore(serverStatus.subscribe, serverStatus.get) === 'up';
  if (state === 'refused') return <Badge tone="danger">Não foi enviado</Badge>;
  return state === 'sending' && isUp ? (
    <Badge tone="primary" icon={<Spinner />}>
      Enviando…
    </Badge>
  ) : (
    <Badge tone="warning" icon={<Clock size={14} aria-hidden />}>
      Será enviado quando houver conexão
    </Badge>
  );
}
