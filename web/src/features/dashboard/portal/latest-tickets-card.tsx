// Card of the home page: the latest tickets.
import { useQuery } from '@tanstack/react-query';
import { MessageSquareText, Plus } from 'lucide-react';
import { Link } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { QueryList } from '~/components/query-list';
import { latestTicketsQuery } from '~/features/tickets/api/tickets';
import { TicketStatusBadge } from '~/features/tickets/components/ticket-status-badge';
import { formatDate } from '~/lib/dates';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

export function LatestTicketsCard() {
  const tickets = useQuery(latestTicketsQuery());
  return (
    <Panel title="Últimos Tickets">
      <QueryList
        query={tickets}
        rows={tickets.data}
        loading={<SkeletonList rows={3} className="p-5" rowClassName="h-12" />}
        empty={{
          icon: <MessageSquareText size={26} />,
          title: 'Nenhum ticket encontrado',
          action: (
            <ButtonLink to={paths.ticketNew()} variant="secondary" icon={<Plus size={20} aria-hidden />}>
              Criar ticket
            </ButtonLink>
          ),
        }}
      >
        {(latest) => (
          <ul className="divide-border divide-y">
            {latest.map((ticket) => (
              <li key={ticket.id}>
                <Link
                  to={paths.ticket(ticket.id)}
                  className="hover:bg-muted flex min-h-16 items-center justify-between gap-4 px-5 py-3 transition-colors"
                >
                  <span className="min-w-0">
                    <span className="block font-medium wrap-anywhere">{ticket.subject}</span>
                    <time
                      dateTime={ticket.created_at}
                      className="text-muted-foreground block text-sm tabular-nums"
                    >
                      {formatDate(ticket.created_at)}
                    </time>
                  </span>
                  <TicketStatusBadge status={ticket.status} />
                </Link>
              </li>
            ))}
          </ul>
        )}
      </QueryList>
    </Panel>
  );
}
