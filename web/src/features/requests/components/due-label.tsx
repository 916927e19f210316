// The last day on which an item is expected.
import { daysUntil, formatDate, relativeDay, SOON_DAYS } from '~/lib/dates';
import { cn } from '~/ui/cn';

/** 'Enviar até 05/12/2026 · em 3 dias': red when the day is over, amber when it is near. */
export function DueLabel({ day, className }: { day: string; className?: string }) {
  const days = daysUntil(day);
  const isNear = days <= SOON_DAYS;
  return (
    <span
      className={cn(
        'text-sm font-medium tabular-nums',
        days < 0 ? 'text-danger' : isNear ? 'text-warning' : 'text-muted-foreground',
        className,
      )}
    >
      Enviar até <time dateTime={day}>{formatDate(day)}</time>
      {isNear && (
        <>
          {' '}
          <span className="text-muted-foreground font-normal whitespace-nowrap">· {relativeDay(day)}</span>
        </>
      )}
    </span>
  );
}
