// Ticket list of the clients.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { MessageSquareText, Plus } from 'lucide-react';
import { useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { ticketCountQuery, ticketsQuery } from '~/features/tickets/api/tickets';
import { useDebouncedValue } from '~/hooks/use-debounced-value';
import type { TicketStatus } from '~/lib/api/database';
import { PAGE_SIZE } from '~/lib/api/pagination';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { Card } from '~/ui/card';
import { cn } from '~/ui/cn';
import { EmptyState } from '~/ui/empty-state';
import { ErrorState } from '~/ui/error-state';
import { InfiniteScroll } from '~/ui/infinite-scroll';
import { SearchInput } from '~/ui/search-input';
import { SkeletonList } from '~/ui/skeleton';

import { PendingTicketCard, TicketCard } from './ticket-card';
import { usePendingTickets } from './use-pending-tickets';

type Filter = { label: string; status: TicketStatus | null };

const filters: Filter[] = [
  { label: 'Todos', status: null },
  { label: 'Abertos', status: 'open' },
  { label: 'Fechados', status: 'closed' },
];

/** Filter shown only if there are tickets in progress. */
const inProgressFilter: Filter = { label: 'Em andamento', status: 'in-progress' };

export function loader() {
  void queryClient.prefetchInfiniteQuery(ticketsQuery({ search: '', status: null }));
  void queryClient.prefetchQuery(ticketCountQuery('in-progress'));
  return null;
}

export { PortalTicketsPage as Component };

function PortalTicketsPage() {
  const [search, setSearch] = useState('');
  const [status, setStatus] = useState<TicketStatus | null>(null);
  const tickets = useInfiniteQuery(ticketsQuery({ search: useDebouncedValue(search), status }));
  const inProgress = useQuery(ticketCountQuery('in-progress'));
  const sending = usePendingTickets();

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
        <div role="group" aria-label="Filtrar por status" className="flex flex-wrap gap-2 print:hidden">
          {[...filters, ...(inProgress.data || status === 'in-progress' ? [inProgressFilter] : [])].map(
            (filter) => (
              <button
                key={filter.label}
                type="button"
                aria-pressed={filter.status === status}
                onClick={() => setStatus(filter.status)}
                className={cn(
                  'touch-target rounded border px-4 text-body font-medium transition-colors',
                  filter.status === status
                    ? 'border-primary bg-primary-subtle text-primary'
                    : 'border-border bg-card text-muted-foreground hover:bg-muted hover:text-foreground',
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
          {shown.map(({ id, values }) => (
            <li key={id}>
              <PendingTicketCard ticket={values} />
            </li>
          ))}
          {rows.map((ticket) => (
            <li key={ticket.id} className={cn(rows.length > PAGE_SIZE && 'content-auto-40')}>
              <TicketCard ticket={ticket} />
            </li>
          ))}
        </ul>
      )}
      <InfiniteScroll
        hasMore={tickets.hasNextPage}
        loading={tickets.isFetchingNextPage}
        failed={tickets.isFetchNextPageError}
        onLoadMore={tickets.fetchNextPage}
      />
    </>
  );
}
