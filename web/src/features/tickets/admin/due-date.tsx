// Due date of a ticket.
import { useCurrentMinute } from '~/hooks/use-current-minute';
import { formatDateTime } from '~/lib/dates';
import { Badge } from '~/ui/badge';

const MINUTE_MS = 60_000;

/** Response deadline, with a label if it has passed. */
export function DueDate({ due }: { due: string | null }) {
  const now = useCurrentMinute() * MINUTE_MS;
  if (due === null) return <span className="text-muted-foreground">Sem pendência</span>;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <time dateTime={due} className="tabular-nums">
        {formatDateTime(due)}
      </time>
      {Date.parse(due) < now && <Badge tone="danger">Atrasado</Badge>}
    </span>
  );
}
