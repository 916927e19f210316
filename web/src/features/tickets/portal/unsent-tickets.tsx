// Notices about tickets that were written and not sent: those for the client for whom the person acts, and the way to
// those for the person's other clients.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import { useUser } from '~/features/auth/session';
import { switchClient } from '~/features/members/api';
import { type ClientChoice, clientChoiceQuery } from '~/features/members/client-choice';
import { ticketKind } from '~/features/tickets/draft-kinds';
import { useQueuedTickets } from '~/features/tickets/queue/ticket-queue';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { listDraftIds } from '~/lib/drafts/draft-keys';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';

import { usePendingTickets } from './use-pending-tickets';

export function UnsentTickets() {
  const { id: userId } = useUser();
  const sending = usePendingTickets();
  const clients = useQuery(clientChoiceQuery()).data ?? [];
  const queued = useQueuedTickets(userId);
  return clients.map((client) => {
    const unsent = listDraftIds(userId, ticketKind(client.id)).filter(
      (id) => !sending.some((draft) => draft.id === id),
    );
    if (!client.is_active) {
      // The list shows a queued ticket, and sends it.
      const to = unsent.length > 0 ? paths.ticketNew() : paths.tickets();
      const isUnsent = unsent.length > 0 || queued.some((ticket) => ticket.client === client.id);
      return isUnsent && <OfOtherClient key={client.id} client={client} to={to} />;
    }
    if (unsent.length === 0) return null;
    return (
      <Alert key={client.id} variant="info" className="mb-6">
        {unsent.length === 1
          ? 'Você tem um ticket que ainda não foi enviado.'
          : `Você tem ${unsent.length} tickets que ainda não foram enviados.`}{' '}
        <Link to={paths.ticketNew()} className="font-medium underline">
          {unsent.length === 1 ? 'Continuar o ticket' : 'Continuar o mais recente'}
        </Link>
      </Alert>
    );
  });
}

function OfOtherClient({ client: { id, name }, to }: { client: ClientChoice; to: string }) {
  const switching = useApiMutation({
    mutationFn: switchClient,
    errorToast: { title: 'Erro ao trocar de cliente' },
  });
  return (
    <Alert variant="info" className="mb-6">
      <p>
        Um ticket de <strong className="font-medium wrap-anywhere">{name}</strong> ainda não foi enviado.
      </p>
      <Button
        variant="secondary"
        className="mt-3 max-w-full py-2 text-balance wrap-anywhere whitespace-normal!"
        pending={switching.isPending}
        onClick={() => switching.mutate({ id, to })}
      >
        Continuar como {name}
      </Button>
    </Alert>
  );
}
