// The last day on which an item is expected.
import { DayDistance } from '~/components/day-distance';
import { daysUntil, formatDate, SOON_DAYS } from '~/lib/dates';
import { cn } from '~/ui/cn';

/** 'Enviar até 05/12/2026 · em 3 dias': red when the day is over, amber when it is near. */
export function DueLabel({ day, className }: { day: string; className?: string }) {
  const days = daysUntil(day);
  const isNear = days <= SOON_DAYS;
  return (
    <DayDistance
      day={isNear ? day : null}
      className={cn(
        'text-sm font-medium tabular-nums',
        days < 0 ? 'text-danger' : isNear ? 'text-warning' : 'text-muted-foreground',
        className,
      )}
    >
      Enviar até <time dateTime={day}>{formatDate(day)}</time>
    </DayDistance>
  );
}
