// Expiry label of a document.
import { DayDistance } from '~/components/day-distance';
import { expiryOf, formatDate } from '~/lib/dates';
import { Badge } from '~/ui/badge';
import { cn } from '~/ui/cn';

type ExpiryLabelProps = {
  expiresAt: string | null;
  /** The payments of the document that are reported. */
  payments?: readonly unknown[];
  large?: boolean;
  className?: string;
};

/** 'Vencido em 20/11/2026' in red, 'Vence em 25/11/2026' in amber, 'Pago' once it is paid, empty without an expiry. */
export function ExpiryLabel({ expiresAt, payments = [], large = false, className }: ExpiryLabelProps) {
  const expiry = expiryOf(expiresAt);
  if (!expiresAt || expiry === 'none') return null;
  if (payments.length > 0) return <Badge tone="success">Pago</Badge>;
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
