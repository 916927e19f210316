// Ticket queue of the administrators.
import { useInfiniteQuery } from '@tanstack/react-query';
import { MessageSquareText, TextQuote } from 'lucide-react';
import { useState } from 'react';
import { type LoaderFunctionArgs, NavigationType, useLocation, useNavigationType } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { QueryTable } from '~/components/query-table';
import { TextLink } from '~/components/text-link';
import { staffQuery } from '~/features/staff/api';
import { type AdminTicketListItem, adminTicketsQuery } from '~/features/tickets/api/admin-tickets';
import { TicketStatusBadge } from '~/features/tickets/components/ticket-status-badge';
import { ticketCategoryLabels, ticketPriorityLabels } from '~/features/tickets/ticket-labels';
import { useDebouncedValue } from '~/hooks/use-debounced-value';
import { useUrlParams } from '~/hooks/use-url-params';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import type { Column } from '~/ui/data-table';

import { DueDate } from './due-date';
import { TicketFilterBar } from './ticket-filter-bar';
import { PARAM_NAMES, parseTicketFilters } from './ticket-filters';

export function loader({ request }: LoaderFunctionArgs) {
  const shown = parseTicketFilters(new URL(request.url).searchParams);
  void queryClient.prefetchInfiniteQuery(adminTicketsQuery(shown));
  void queryClient.prefetchQuery(staffQuery());
  return null;
}

export { AdminTicketsPage as Component };

function AdminTicketsPage() {
  const [address, setParam] = useUrlParams();
  const asked = parseTicketFilters(address);
  // The input shows typed text immediately; the URL follows by replacement. Any other navigation resets the input.
  const [{ key }, navigation] = [useLocation(), useNavigationType()];
  const [typed, setTyped] = useState({ search: asked.search, key });
  if (typed.key !== key && navigation !== NavigationType.Replace) setTyped({ search: asked.search, key });
  const shown = { ...asked, search: typed.search };
  const search = useDebouncedValue(typed.search);
  const tickets = useInfiniteQuery(adminTicketsQuery({ ...shown, search }));
  return (
    <>
      <PageHeader
        title="Tickets"
        description="Ordenados pelo prazo de resposta: 24 horas úteis, sem fins de semana e feriados nacionais."
        secondary={
          <ButtonLink
            to={paths.adminSavedReplies()}
            variant="secondary"
            icon={<TextQuote size={20} aria-hidden />}
          >
            Respostas prontas
          </ButtonLink>
        }
      />
      <TicketFilterBar
        shown={shown}
        onChange={(name, value) => {
          if (name === PARAM_NAMES.search) setTyped({ search: value, key });
          setParam(name, value);
        }}
      />
      <QueryTable
        query={tickets}
        rows={tickets.data?.pages.flat()}
        caption="Tickets"
        columns={columns}
        rowKey={({ id }) => id}
        empty={{
          icon: <MessageSquareText size={26} />,
          title: 'Nenhum ticket encontrado',
          hint:
            address.size > 0
              ? 'Tente ajustar seus filtros de busca'
              : 'Nenhum cliente espera por uma resposta.',
        }}
      />
    </>
  );
}

const columns: Column<AdminTicketListItem>[] = [
  {
    header: 'Ticket',
    primary: true,
    className: '@4xl:max-w-96',
    cell: ({ id, subject, client, category }) => (
      <span className="block min-w-0">
        <TextLink to={paths.adminTicket(id)} className="line-clamp-2 font-medium">
          {subject}
        </TextLink>
        <span className="text-muted-foreground block text-sm font-normal">
          {client ? (client.name ?? client.email) : 'N/A'} · {ticketCategoryLabels[category]} ·{' '}
          <span title={id}>#{id.slice(-4)}</span>
        </span>
      </span>
    ),
  },
  { header: 'Prazo', cell: ({ due_at }) => <DueDate due={due_at} /> },
  {
    header: 'Status',
    cell: ({ status }) => (
      <span>
        <TicketStatusBadge status={status} />
      </span>
    ),
  },
  {
    header: 'Prioridade',
    cell: ({ priority }) =>
      priority === 'urgent' ? (
        <span>
          <Badge tone="danger">{ticketPriorityLabels[priority]}</Badge>
        </span>
      ) : (
        ticketPriorityLabels[priority]
      ),
  },
  { header: 'Responsável', cell: ({ assignee }) => assigneeName(assignee) },
];

function assigneeName(assignee: AdminTicketListItem['assignee']): string {
  if (assignee === null) return 'Ninguém';
  return assignee.name ?? 'Fora da equipe';
}
