// Cards of the ticket list.
import { memo } from 'react';
import { Link } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import type { ListedTicket, NewTicket } from '~/features/tickets/api/tickets';
import { TicketStatusIcon, TicketStatusBadge } from '~/features/tickets/components/ticket-status-badge';
import { formatDate } from '~/lib/dates';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import { Card } from '~/ui/card';
import { Spinner } from '~/ui/spinner';

import { CloseTicketButton } from './close-ticket-button';

/** Not rendered again while the list is searched, so that typing is not delayed. */
export const TicketCard = memo(function TicketCard({ ticket }: { ticket: ListedTicket }) {
  const [newest] = ticket.newest;
  // Empty in a list that is kept for reading without a network.
  const preview = newest?.body ?? ticket.message;
  return (
    <Card className="p-5">
      <article className="flex gap-4">
        <TicketStatusIcon status={ticket.status} className="mt-0.5" />
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
            <h2 className="min-w-0 text-lg wrap-anywhere">
              <Link to={paths.ticket(ticket.id)} className="hover:underline">
                {ticket.subject}
              </Link>
            </h2>
            <span className="flex flex-wrap gap-2">
              {ticket.unread.length > 0 && <Badge tone="primary">Não lido</Badge>}
              <TicketStatusBadge status={ticket.status} />
            </span>
          </div>
          {preview !== '' && (
            <p className="text-muted-foreground mt-1.5 line-clamp-2 wrap-anywhere">
              {newest?.from_staff && <span className="text-foreground font-medium">Escritório: </span>}
              {preview}
            </p>
          )}
          <div className="mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <p className="text-muted-foreground flex gap-4 text-sm tabular-nums">
              <span title={ticket.id}>ID: #{ticket.id.slice(-4)}</span>
              <time dateTime={ticket.created_at}>{formatDate(ticket.created_at)}</time>
            </p>
            <div className="flex items-start gap-2 max-sm:w-full max-sm:*:flex-1 print:hidden">
              <ButtonLink
                to={paths.ticket(ticket.id)}
                variant="secondary"
                aria-label={`Ver detalhes de ${ticket.subject}`}
              >
                Ver detalhes
              </ButtonLink>
              {ticket.status !== 'closed' && (
                <CloseTicketButton ticket={ticket} label={`Fechar ${ticket.subject}`} />
              )}
            </div>
          </div>
        </div>
      </article>
    </Card>
  );
});

/** Card of a ticket whose creation is pending. */
export function PendingTicketCard({ ticket }: { ticket: NewTicket }) {
  return (
    <Card className="p-5 opacity-80">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <h2 className="min-w-0 text-lg wrap-anywhere">{ticket.subject}</h2>
        <Badge tone="primary" icon={<Spinner />}>
          Enviando…
        </Badge>
      </div>
      <p className="text-muted-foreground mt-1.5 line-clamp-2 wrap-anywhere">{ticket.message}</p>
    </Card>
  );
}
