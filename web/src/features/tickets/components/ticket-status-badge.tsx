// Badge and icon of a ticket status.
import { CircleCheck, CircleDot, CircleDotDashed } from 'lucide-react';

import { ticketStatusLabels } from '~/features/tickets/ticket-labels';
import type { TicketStatus } from '~/lib/api/database';
import { Badge } from '~/ui/badge';
import { cn } from '~/ui/cn';

const variants = {
  open: { tone: 'success', Icon: CircleDot, color: 'text-success' },
  'in-progress': { tone: 'warning', Icon: CircleDotDashed, color: 'text-warning' },
  closed: { tone: 'neutral', Icon: CircleCheck, color: 'text-neutral' },
} as const satisfies Record<TicketStatus, unknown>;

export function TicketStatusBadge({ status }: { status: TicketStatus }) {
  return <Badge tone={variants[status].tone}>{ticketStatusLabels[status]}</Badge>;
}

/** Decorative status icon, shown beside the badge. */
export function TicketStatusIcon({ status, className }: { status: TicketStatus; className?: string }) {
  const { Icon, color } = variants[status];
  return <Icon size={22} aria-hidden className={cn(color, className)} />;
}
