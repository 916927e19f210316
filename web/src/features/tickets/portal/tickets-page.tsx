import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { MessageSquareText, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { type NewTicket, type Ticket, ticketCountQuery, ticketsQuery } from '~/features/tickets/api/tickets';
import { TicketStatusBadge, TicketStatusIcon } from '~/features/tickets/components/ticket-status-badge';
import { useDebounced } from '~/hooks/use-debounced-value';
import type { TicketStatus } from '~/lib/api/database.types';
import { PAGE_SIZE } from '~/lib/api/pagination';
import { queryClient } from '~/lib/api/query-client';
import { formatDate } from '~/lib/dates';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import { Card } from '~/ui/card';
import { cn } from '~/ui/cn';
import { EmptyState, ErrorState } from '~/ui/empty-state';
import { LoadMore } from '~/ui/infinite-scroll';
import { SearchInput } from '~/ui/input';
import { SkeletonList } from '~/ui/skeleton';
import { Spinner } from '~/ui/spinner';

import { CloseTicketButton } from './close-ticket-button';
import { useTicketsBeingSent } from './use-pending-tickets';

type Filter = { label: string; status: TicketStatus | null };

const filters: Filter[] = [
  { label: 'Todos', status: null },
  { label: 'Abertos', status: 'open' },
  { label: 'Fechados', status: 'closed' },
];

/** Shown only when there is such a ticket. */
const inProgressFilter: Filter = { label: 'Em andamento', status: 'in-progress' };

export function loader() {
  void queryClient.prefetchInfiniteQuery(ticketsQuery({ search: '', status: null }));
  void queryClient.prefetchQuery(ticketCountQuery('in-progress'));
  return null;
}

export function Component() {
  const [search, setSearch] = useState('');
  const [status, setStatus] = useState<TicketStatus | null>(null);
  const tickets = useInfiniteQuery(ticketsQuery({ search: useDebounced(search), status }));
  const inProgress = useQuery(ticketCountQuery('in-progress'));
  const sending = useTicketsBeingSent();

  const filtered = search.trim() !== '' || status !== null;
  const shown = filtered ? [] : sending;
  const rows = tickets.data?.pages.flat();
  const isEmpty = rows?.length === 0 && shown.length === 0;
  return (
    <>
      <PageHeader
        title="Tickets"
        action={
          <ButtonLink to={paths.ticketNew()} icon={<Plus size={20} aria-hidden />}>
            Novo Ticket
          </ButtonLink>
        }
      />
      <div className="mb-6 flex flex-col gap-3 md:flex-row md:items-center">
        <SearchInput value={search} onChange={setSearch} placeholder="Buscar tickets..." className="flex-1" />
        <div role="group" aria-label="Filtrar por status" className="print-hide flex flex-wrap gap-2">
          {[...filters, ...(inProgress.data || status === 'in-progress' ? [inProgressFilter] : [])].map(
            (filter) => (
              <button
                key={filter.label}
                type="button"
                aria-pressed={filter.status === status}
                onClick={() => setStatus(filter.status)}
                className={cn(
                  'target rounded border px-4 text-[15px] font-medium transition-colors',
                  filter.status === status
                    ? 'border-primary bg-primary-tint text-primary'
                    : 'border-hairline bg-surface text-muted hover:bg-sunken hover:text-ink',
                )}
              >
                {filter.label}
              </button>
            ),
          )}
        </div>
      </div>
      {tickets.isPending && <SkeletonList rows={4} rowClassName="h-36" />}
      {tickets.isError && !rows && (
        <Card>
          <ErrorState onRetry={() => void tickets.refetch()} />
        </Card>
      )}
      {isEmpty && (
        <Card>
          <EmptyState
            icon={<MessageSquareText size={26} />}
            title="Nenhum ticket encontrado"
            hint={filtered ? 'Tente ajustar seus filtros de busca' : 'Você ainda não possui tickets'}
          />
        </Card>
      )}
      {!isEmpty && rows && (
        <ul aria-busy={tickets.isPlaceholderData} className="flex flex-col gap-3">
          {shown.map(({ slot, values }) => (
            <li key={slot}>
              <SendingCard ticket={values} />
            </li>
          ))}
          {rows.map((ticket) => (
            <li key={ticket.id} className={cn(rows.length > PAGE_SIZE && 'laid-out-in-view')}>
              <TicketCard ticket={ticket} />
            </li>
          ))}
        </ul>
      )}
      <LoadMore
        hasMore={tickets.hasNextPage}
        loading={tickets.isFetchingNextPage}
        failed={tickets.isFetchNextPageError}
        onMore={tickets.fetchNextPage}
      />
    </>
  );
}

function TicketCard({ ticket }: { ticket: Ticket }) {
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
            <TicketStatusBadge status={ticket.status} />
          </div>
          <p className="text-muted mt-1.5 line-clamp-2 wrap-anywhere">{ticket.message}</p>
          <div className="mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <p className="tabular text-muted flex gap-4 text-sm">
              <span title={ticket.id}>ID: #{ticket.id.slice(-4)}</span>
              <time dateTime={ticket.created_at}>{formatDate(ticket.created_at)}</time>
            </p>
            <div className="print-hide flex gap-2 max-sm:w-full max-sm:*:flex-1">
              <ButtonLink
                to={paths.ticket(ticket.id)}
                variant="secondary"
                aria-label={`Ver detalhes de ${ticket.subject}`}
              >
                Ver detalhes
              </ButtonLink>
              {ticket.status !== 'closed' && <CloseTicketButton ticket={ticket} />}
            </div>
          </div>
        </div>
      </article>
    </Card>
  );
}

/** A ticket that is on its way to the server. */
function SendingCard({ ticket }: { ticket: NewTicket }) {
  return (
    <Card className="p-5 opacity-80">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <h2 className="min-w-0 text-lg wrap-anywhere">{ticket.subject}</h2>
        <Badge tone="primary" icon={<Spinner />}>
          Enviando…
        </Badge>
      </div>
      <p className="text-muted mt-1.5 line-clamp-2 wrap-anywhere">{ticket.message}</p>
    </Card>
  );
}
