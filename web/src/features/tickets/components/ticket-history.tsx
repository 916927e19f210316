// Status history of a ticket.
import type { TicketStatus } from '~/lib/api/database';
import { formatDateTime } from '~/lib/dates';

import { SidePanel } from './side-panel';
import { TicketStatusBadge } from './ticket-status-badge';

export type TicketChange = { id: string; status: TicketStatus; by: string; at: string };

/** Status changes with time and author. The list begins with the oldest one, `changes` with the newest. */
export function TicketHistory({ changes }: { changes: readonly TicketChange[] }) {
  return (
    <SidePanel title="Histórico">
      <ol aria-label="Mudanças de status" className="flex flex-col gap-4 p-5">
        {changes.toReversed().map(({ id, status, by, at }) => (
          <li key={id} className="flex flex-col items-start gap-1">
            <TicketStatusBadge status={status} />
            <span className="text-muted-foreground text-sm tabular-nums">
              {by}, <time dateTime={at}>{formatDateTime(at)}</time>
            </span>
          </li>
        ))}
      </ol>
    </SidePanel>
  );
}
