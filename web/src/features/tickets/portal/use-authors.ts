// Messages of a ticket as the client sees them, and the names of their authors.
import { useQuery } from '@tanstack/react-query';

import { useUser } from '~/features/auth/session';
import { clientChoiceQuery } from '~/features/members/client-choice';
import type { TicketDetail, TicketMessage } from '~/features/tickets/api/ticket-thread';

export const STAFF = 'Equipe';

/** Messages of the ticket. The first one is the ticket itself. */
export function messagesOf(ticket: TicketDetail): TicketMessage[] {
  const { id, created_at, message, member_name, messages } = ticket;
  const first = { id, created_at, member_name, from_staff: false, body: message, ticket_attachments: [] };
  return [first, ...messages];
}

/**
 * Names of the authors on the client's side: the person on the screen is "Você". Without members, which most clients
 * have not, everything is the person's own.
 */
export function useAuthors() {
  const { id: userId, fullName } = useUser();
  const clients = useQuery(clientChoiceQuery());
  const active = clients.data?.find(({ is_active: isActive }) => isActive);
  const isOwnAccount = active === undefined || active.id === userId;

  const authorOf = (memberName: string | null): string => {
    if (memberName !== null) return memberName === active?.member_name ? 'Você' : memberName;
    return isOwnAccount ? 'Você' : active.name;
  };
  return {
    authorOf,
    initialsOf: (memberName: string | null) =>
      memberName ?? (isOwnAccount ? (fullName ?? 'Você') : active.name),
  };
}
