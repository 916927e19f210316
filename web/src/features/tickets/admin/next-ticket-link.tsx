// Link to the next ticket that waits for a reply.
import { useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';

import { ButtonLink } from '~/components/button-link';
import { nextWaitingQuery } from '~/features/tickets/api/ticket-queue';
import { REPLY_STATE } from '~/features/tickets/reply-state';
import { paths } from '~/paths';

export function NextTicketLink({ ticketId }: { ticketId: string }) {
  const { data: next } = useQuery(nextWaitingQuery(ticketId));
  if (!next) return null;
  return (
    <ButtonLink
      to={paths.adminTicket(next.id)}
      state={REPLY_STATE}
      variant="secondary"
      title={`Próximo ticket sem resposta: ${next.subject}`}
    >
      Próximo
      <ArrowRight size={20} aria-hidden />
    </ButtonLink>
  );
}
