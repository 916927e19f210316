// Expiry label of a document.
import { expiryOf, formatDate, relativeDay } from '~/lib/dates';
import { cn } from '~/ui/cn';

type ExpiryLabelProps = { expiresAt: string | null; large?: boolean; className?: string };

/** 'Vencido em 20/11/2026' in red, 'Vence em 25/11/2026' in amber, empty without an expiry. */
export function ExpiryLabel({ expiresAt, large = false, className }: ExpiryLabelProps) {
  const expiry = expiryOf(expiresAt);
  if (!expiresAt || expiry === 'none') return null;
  const expired = expiry === 'expired';
  return (
    <span
      className={cn(
        'tabular-nums font-medium',
        large ? 'text-lg' : 'text-sm',
        expired ? 'text-danger' : 'text-warning',
        className,
      )}
    >
      {expired ? 'Vencido em' : 'Vence em'} <time dateTime={expiresAt}>{formatDate(expiresAt)}</time>
      {(expiry === 'today' || expiry === 'soon') && (
        <span className="text-muted-foreground text-sm font-normal">
          {' '}
          <span className="whitespace-nowrap">· {relativeDay(expiresAt)}</span>
        </span>
      )}
    </span>
  );
}
