// Details and history beside the thread, or above and below it on small screens.
import type { StatusChange, TicketDetail } from '~/features/tickets/api/ticket-thread';
import { TicketHistory } from '~/features/tickets/components/ticket-history';

import { TicketDetailsCard } from './ticket-details-card';
import { messagesOf, STAFF, useAuthors } from './use-authors';

export function TicketSidebar({ ticket }: { ticket: TicketDetail }) {
  const changedBy = useChangeAuthors(ticket);
  return (
    <div className="flex min-w-0 flex-col gap-6 max-lg:contents">
      <div className="max-lg:order-first">
        <TicketDetailsCard ticket={ticket} />
      </div>
      <TicketHistory
        changes={ticket.ticket_history.map((change) => ({
          id: change.id,
          status: change.status,
          by: change.from_staff ? STAFF : changedBy(change),
          at: change.created_at,
        }))}
      />
    </div>
  );
}

/**
 * Authors of status changes on the client's side. The server names none, but a change by a message has the time of that
 * message. Of other changes the client is the author, unless only this person acts for the client, which is not known
 * while a part of the thread is not loaded.
 */
function useChangeAuthors(ticket: TicketDetail): (change: StatusChange) => string {
  const { actsFor, authorOf } = useAuthors();
  const own = messagesOf(ticket).filter(({ from_staff }) => !from_staff);
  const mayHaveMembers = ticket.hasOlder || own.some(({ member_name }) => member_name !== null);
  return ({ created_at }) => {
    const message = own.find((one) => one.created_at === created_at);
    if (message) return authorOf(message.member_name);
    return actsFor ?? (mayHaveMembers ? 'Cliente' : 'Você');
  };
}
