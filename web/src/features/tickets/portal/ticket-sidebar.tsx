// Details and history beside the thread, or above and below it on small screens.
import type { TicketDetail } from '~/features/tickets/api/ticket-thread';
import { type TicketChange, TicketHistory } from '~/features/tickets/components/ticket-history';

import { TicketDetailsCard } from './ticket-details-card';

type TicketSidebarProps = { ticket: TicketDetail; changes: readonly TicketChange[] };

export function TicketSidebar({ ticket, changes }: TicketSidebarProps) {
  return (
    <div className="flex min-w-0 flex-col gap-6 max-lg:contents">
      <div className="max-lg:order-first">
        <TicketDetailsCard ticket={ticket} />
      </div>
      <TicketHistory changes={changes} />
    </div>
  );
}
