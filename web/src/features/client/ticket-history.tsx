import type { StatusChange } from '~/data/ticket';
import { formatDateTime } from '~/lib/dates';
import { Panel } from '~/ui/card';

import { TicketStatusBadge } from './ticket-status';

/** Which status the ticket took when, and by whose doing. */
export function TicketHistory({ changes }: { changes: readonly StatusChange[] }) {
  return (
    <Panel title="Histórico">
      <ol aria-label="Mudanças de status" className="flex flex-col gap-4 p-5">
        {changes.map(({ id, status, from_staff, created_at }) => (
          <li key={id} className="flex flex-col items-start gap-1">
            <TicketStatusBadge status={status} />
            <span className="tabular text-muted text-sm">
              {from_staff ? 'Equipe' : 'Você'},{' '}
              <time dateTime={created_at}>{formatDateTime(created_at)}</time>
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
