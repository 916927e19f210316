import { CircleCheck, CircleDot, CircleDotDashed } from 'lucide-react';

import { ticketStatusLabels } from '~/features/tickets/ticket-labels';
import type { TicketStatus } from '~/lib/api/database';
import { Badge } from '~/ui/badge';
import { cn } from '~/ui/cn';

const variants = {
  open: { tone: 'success', Icon: CircleDot, colour: 'text-success' },
  'in-progress': { tone: 'warning', Icon: CircleDotDashed, colour: 'text-warning' },
  closed: { tone: 'neutral', Icon: CircleCheck, colour: 'text-neutral' },
} as const satisfies Record<TicketStatus, unknown>;

export function TicketStatusBadge({ status }: { status: TicketStatus }) {
  return <Badge tone={variants[status].tone}>{ticketStatusLabels[status]}</Badge>;
}

/** The same status as a picture, beside the badge that says it. */
export function TicketStatusIcon({ status, className }: { status: TicketStatus; className?: string }) {
  const { Icon, colour } = variants[status];
  return <Icon size={22} aria-hidden className={cn(colour, className)} />;
}
