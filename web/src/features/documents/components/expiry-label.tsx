// Expiry label of a document.
import { DayDistance } from '~/components/day-distance';
import { expiryOf, formatDate } from '~/lib/dates';
import { cn } from '~/ui/cn';

type ExpiryLabelProps = { expiresAt: string | null; large?: boolean; className?: string };

/** 'Vencido em 20/11/2026' in red, 'Vence em 25/11/2026' in amber, empty without an expiry. */
export function ExpiryLabel({ expiresAt, large = false, className }: ExpiryLabelProps) {
  const expiry = expiryOf(expiresAt);
  if (!expiresAt || expiry === 'none') return null;
  const expired = expiry === 'expired';
  return (
    <DayDistance
      day={expiry === 'today' || expiry === 'soon' ? expiresAt : null}
      className={cn(
        'font-medium tabular-nums',
        large ? 'text-lg' : 'text-sm',
        expired ? 'text-danger' : 'text-warning',
        className,
      )}
    >
      {expired ? 'Vencido em' : 'Vence em'} <time dateTime={expiresAt}>{formatDate(expiresAt)}</time>
    </DayDistance>
  );
}
