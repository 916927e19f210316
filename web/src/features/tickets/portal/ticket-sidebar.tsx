// Details and history beside the thread, or above and below it on small screens.
import type { TicketDetail } from '~/features/tickets/api/ticket-thread';
import { TicketHistory } from '~/features/tickets/components/ticket-history';

import { TicketDetailsCard } from './ticket-details-card';
import { STAFF, useAuthors } from './use-authors';

export function TicketSidebar({ ticket }: { ticket: TicketDetail }) {
  const { authorOf } = useAuthors();
  return (
    <div className="flex min-w-0 flex-col gap-6 max-lg:contents">
      <div className="max-lg:order-first">
        <TicketDetailsCard ticket={ticket} />
      </div>
      <TicketHistory
        changes={ticket.ticket_history.map((change) => ({
          id: change.id,
          status: change.status,
          by: change.from_staff ? STAFF : authorOf(change.member_name),
          at: change.created_at,
        }))}
      />
    </div>
  );
}
