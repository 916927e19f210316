// Messages of a ticket as the client sees them, and the names of their authors.
import { useQuery } from '@tanstack/react-query';

import { useUser } from '~/features/auth/session';
import { clientChoiceQuery } from '~/features/members/client-choice';
import type { StatusChange, TicketDetail, TicketMessage } from '~/features/tickets/api/ticket-thread';

/** Messages of the ticket. The first one is the ticket itself. */
export function messagesOf(ticket: TicketDetail): TicketMessage[] {
  const { id, created_at, message, member_name, ticket_messages } = ticket;
  const first = { id, created_at, member_name, from_staff: false, body: message, ticket_attachments: [] };
  return [first, ...ticket_messages];
}

/**
 * Names of the authors on the client's side: the person on the screen is "Você". Without members, which most clients
 * have not, everything is the person's own.
 */
export function useAuthors(ticket: TicketDetail) {
  const { id: userId, fullName } = useUser();
  const clients = useQuery(clientChoiceQuery());
  const active = clients.data?.find(({ is_active: isActive }) => isActive);
  const isOwnAccount = active === undefined || active.id === userId;
  const own = messagesOf(ticket).filter(({ from_staff }) => !from_staff);

  const authorOf = (memberName: string | null): string => {
    if (memberName !== null) return memberName === active?.member_name ? 'Você' : memberName;
    return isOwnAccount ? 'Você' : active.name;
  };
  return {
    authorOf,
    initialsOf: (memberName: string | null) =>
      memberName ?? (isOwnAccount ? (fullName ?? 'Você') : active.name),
    /**
     * Author of a status change on the client's side. The server names none, but a change by a message has the time of
     * that message. Of other changes the client is the author, unless only this person acts for the client.
     */
    changedBy: ({ created_at }: Pick<StatusChange, 'created_at'>): string => {
      const message = own.find((one) => one.created_at === created_at);
      if (message) return authorOf(message.member_name);
      const isAlone = isOwnAccount && own.every(({ member_name }) => member_name === null);
      return isAlone ? 'Você' : (active?.name ?? 'Cliente');
    },
  };
}
