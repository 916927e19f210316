// Ticket list of the clients.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { MessageSquareText, Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { QueryList } from '~/components/query-list';
import { useUser } from '~/features/auth/session';
import { matchesTicketSearch, ticketCountQuery, ticketsQuery } from '~/features/tickets/api/tickets';
import { isTicketKey, QUEUE_KIND } from '~/features/tickets/draft-kinds';
import { useDebouncedValue } from '~/hooks/use-debounced-value';
import type { TicketStatus } from '~/lib/api/database';
import { PAGE_SIZE } from '~/lib/api/pagination';
import { queryClient } from '~/lib/api/query-client';
import { listDraftIds, listDraftKeys } from '~/lib/drafts/draft-keys';
import { paths } from '~/paths';
import { SearchInput } from '~/ui/search-input';
import { SkeletonList } from '~/ui/skeleton';
import { ToggleGroup } from '~/ui/toggle-group';

import { PendingTicketCard, TicketCard } from './ticket-card';
import { usePendingTickets } from './use-pending-tickets';

// Loaded on demand, because tickets are seldom written without a network.
const QueuedTickets = lazy(async () => ({ default: (await import('./queued-tickets')).QueuedTickets }));

// Loaded on demand, because most tickets are sent.
const UnsentTickets = lazy(async () => ({ default: (await import('./unsent-tickets')).UnsentTickets }));

type Filter = { label: string; value: TicketStatus | null };

const filters: Filter[] = [
  { label: 'Todos', value: null },
  { label: 'Abertos', value: 'open' },
  { label: 'Fechados', value: 'closed' },
];

/** Filter shown only if there are tickets in progress. */
const inProgressFilter: Filter = { label: 'Em andamento', value: 'in-progress' };

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
  const { id: userId } = useUser();
  const sending = usePendingTickets();

  const filtered = search.trim() !== '' || status !== null;
  const rows = tickets.data?.pages.flat().filter((ticket) => matchesTicketSearch(ticket, search));
  const items = rows && [
    ...(filtered ? [] : sending).map(({ id, values }) => (
      <li key={id}>
        <PendingTicketCard ticket={values} />
      </li>
    )),
    ...rows.map((ticket) => (
      <li key={ticket.id} className={rows.length > PAGE_SIZE ? 'content-auto-40' : undefined}>
        <TicketCard ticket={ticket} />
      </li>
    )),
  ];
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
      {listDraftKeys(userId).some(isTicketKey) && (
        <Suspense>
          <UnsentTickets />
        </Suspense>
      )}
      <div className="mb-6 flex flex-col gap-3 md:flex-row md:items-center">
        <SearchInput value={search} onChange={setSearch} placeholder="Buscar tickets..." className="flex-1" />
        <ToggleGroup
          label="Filtrar por status"
          value={status}
          options={[...filters, ...(inProgress.data || status === 'in-progress' ? [inProgressFilter] : [])]}
          onChange={setStatus}
          className="print:hidden"
        />
      </div>
      {listDraftIds(userId, QUEUE_KIND).length > 0 && (
        <Suspense>
          <QueuedTickets />
        </Suspense>
      )}
      <QueryList
        query={tickets}
        rows={items}
        canBeEmpty={!tickets.hasNextPage && !tickets.isPlaceholderData}
        loading={<SkeletonList rows={4} rowClassName="h-36" />}
        empty={{
          icon: <MessageSquareText size={26} />,
          title: 'Nenhum ticket encontrado',
          hint: filtered ? 'Tente ajustar seus filtros de busca' : 'Você ainda não possui tickets',
        }}
        card
      >
        {(shown) => (
          <ul aria-busy={tickets.isPlaceholderData} className="flex flex-col gap-3">
            {shown}
          </ul>
        )}
      </QueryList>
    </>
  );
}
