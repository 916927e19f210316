// Ticket queue of the staff.
import { useInfiniteQuery } from '@tanstack/react-query';
import { CircleCheck, MessageSquareText, TextQuote, UserCheck } from 'lucide-react';
import { type LoaderFunctionArgs, useNavigate } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { formatSort, parseSort, SORT_PARAM } from '~/components/list-table/list-column';
import { ListTable } from '~/components/list-table/list-table';
import { PageHeader } from '~/components/page-header';
import { useRights } from '~/features/auth/rights';
import { useUser } from '~/features/auth/session';
import { staffQuery } from '~/features/staff/api';
import {
  BY_DUE_DATE,
  fetchQueue,
  type QueuedTicket,
  queueCountsQuery,
  queueQuery,
} from '~/features/tickets/api/ticket-queue';
import { REPLY_STATE } from '~/features/tickets/reply-state';
import { useDialogState } from '~/hooks/use-dialog-state';
import { useUrlParams } from '~/hooks/use-url-params';
import { useUrlSearch } from '~/hooks/use-url-search';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { MenuItem } from '~/ui/menu';
import { SearchInput } from '~/ui/search-input';

import { TicketBulkActions, useUpdateTickets } from './ticket-bulk-actions';
import { TicketFilterBar } from './ticket-filter-bar';
import { PARAM_NAMES, parseTicketFilters } from './ticket-filters';
import { ticketsColumns } from './tickets-columns';

export function loader({ request }: LoaderFunctionArgs) {
  const params = new URL(request.url).searchParams;
  const filters = parseTicketFilters(params);
  void queryClient.prefetchInfiniteQuery(queueQuery(filters, parseSort(params, ticketsColumns, BY_DUE_DATE)));
  void queryClient.prefetchQuery(queueCountsQuery(filters));
  void queryClient.prefetchQuery(staffQuery());
  return null;
}

export { AdminTicketsPage as Component };

function AdminTicketsPage() {
  const { id: me } = useUser();
  const rights = useRights();
  const url = useUrlParams();
  const [params, setParam, clearParams] = url;
  const { typed, search, setTyped } = useUrlSearch(PARAM_NAMES.search, url);
  const filters = { ...parseTicketFilters(params), search };
  const sort = parseSort(params, ticketsColumns, BY_DUE_DATE);
  const tickets = useInfiniteQuery(queueQuery(filters, sort));
  const closing = useDialogState<QueuedTicket>();
  const update = useUpdateTickets({ onSettled: closing.close });
  const navigate = useNavigate();
  const isFiltered = typed.trim() !== '' || Object.values(PARAM_NAMES).some((name) => params.has(name));
  const clear = () => {
    setTyped('');
    clearParams();
  };
  return (
    <>
      <PageHeader
        title="Tickets"
        description="Ordenados pelo prazo de resposta: 24 horas úteis, sem fins de semana, feriados e horas fora do atendimento."
        secondary={
          rights.mayWrite && (
            <ButtonLink
              to={paths.adminSavedReplies()}
              variant="secondary"
              icon={<TextQuote size={20} aria-hidden />}
            >
              Respostas prontas
            </ButtonLink>
          )
        }
      />
      <ListTable
        name="tickets"
        owner={me}
        caption="Tickets"
        query={tickets}
        readPage={(page) => fetchQueue({ ...filters, search: typed.trim() }, sort, page)}
        columns={ticketsColumns}
        rowKey={rowKey}
        rowLabel={rowLabel}
        sort={sort}
        onSort={(next) => setParam(SORT_PARAM, formatSort(next, ticketsColumns, BY_DUE_DATE))}
        search={
          <SearchInput
            value={typed}
            onChange={setTyped}
            placeholder="Buscar por assunto, mensagem, cliente ou ID..."
            maxLength={100}
          />
        }
        filters={
          <TicketFilterBar filters={filters} onChange={setParam} onClear={isFiltered ? clear : undefined} />
        }
        {...(rights.mayWrite && {
          rowKeys: {
            r: ({ id }: QueuedTicket) => void navigate(paths.adminTicket(id), { state: REPLY_STATE }),
            a: ({ id, assignee }: QueuedTicket) => {
              if (assignee?.id !== me) update.mutate({ ids: [id], change: { assignee_id: me } });
            },
            e: (ticket: QueuedTicket) => {
              if (ticket.status !== 'closed') closing.show(ticket);
            },
          },
          renderMenu: ({ id, status, assignee }: QueuedTicket) => (
            <>
              <MenuItem
                icon={<UserCheck size={18} aria-hidden />}
                disabled={assignee?.id === me}
                onClick={() => update.mutate({ ids: [id], change: { assignee_id: me } })}
              >
                Assumir
              </MenuItem>
              <MenuItem
                icon={<CircleCheck size={18} aria-hidden />}
                onClick={() =>
                  update.mutate({ ids: [id], change: { status: status === 'closed' ? 'open' : 'closed' } })
                }
              >
                {status === 'closed' ? 'Reabrir' : 'Fechar'}
              </MenuItem>
            </>
          ),
        })}
        renderBulkActions={(selection) => rights.mayWrite && <TicketBulkActions {...selection} />}
        empty={{
          icon: <MessageSquareText size={26} />,
          title: 'Nenhum ticket encontrado',
          hint: isFiltered
            ? 'Tente ajustar seus filtros de busca'
            : 'Nenhum cliente espera por uma resposta.',
        }}
      />
      <ConfirmDialog
        open={closing.open}
        onOpenChange={(open) => !open && closing.close()}
        title="Fechar ticket"
        description={`O atendimento “${closing.item?.subject ?? ''}” será encerrado. O cliente pode reabri-lo com uma nova mensagem.`}
        confirm="Fechar ticket"
        pending={update.isPending}
        onConfirm={() =>
          closing.item && update.mutate({ ids: [closing.item.id], change: { status: 'closed' } })
        }
      />
    </>
  );
}

const rowKey = ({ id }: QueuedTicket) => id;
const rowLabel = ({ subject }: QueuedTicket) => subject;
