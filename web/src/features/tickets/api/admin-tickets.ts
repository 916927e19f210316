// Ticket requests for administrators: tickets of all clients.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { clientSearchFilter, getFullName } from '~/features/clients/api/clients';
import { staffName } from '~/features/staff/api';
import type { TicketCategory, TicketPriority, TicketStatus } from '~/lib/api/database';
import { getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { ilikePattern, quoteFilterValue } from '~/lib/api/postgrest-filters';
import { isUuid } from '~/lib/uuid';

import type { Attachment } from './ticket-thread';
import { type Ticket, TICKET_COLUMNS, ticketKeys } from './tickets';

/** Client of a ticket, null for a ticket created through the API by a program. */
type TicketClient = { id: string; name: string | null; email: string } | null;

/** Assignee. The name is null for a former staff member. */
type Assignee = { id: string; name: string | null } | null;

export type AdminTicketListItem = Pick<
  Ticket,
  'id' | 'subject' | 'status' | 'priority' | 'category' | 'created_at' | 'updated_at'
> & { due_at: string | null; client: TicketClient; assignee: Assignee };

/** Status filter: one status, all tickets that are not closed, or all tickets. */
export type StatusFilter = TicketStatus | 'unsettled' | 'all';

export type AdminTicketFilters = {
  search: string;
  status: StatusFilter;
  /** ID of a staff member, or `nobody`. */
  assignee: string | null;
  priority: TicketPriority | null;
  category: TicketCategory | null;
  /** Only tickets whose response is overdue. */
  overdue: boolean;
};

const POLL_EVERY = 60_000;
const queueFailure = { title: 'Erro ao buscar tickets' };

/** Tickets by due date, paginated. Tickets without a due date follow, newest first. */
export function adminTicketsQuery(filter: AdminTicketFilters) {
  const { search, status: progress, assignee, priority, category, overdue } = filter;
  const term = search.trim();
  return infiniteQueryOptions({
    queryKey: [...ticketKeys.all, 'queue', { ...filter, search: term }],
    async queryFn({ pageParam, signal }): Promise<AdminTicketListItem[]> {
      let query = db()
        .from('tickets')
        .select(
          'id,subject,status,priority,category,created_at,updated_at,due_at,user_id,assignee_id,clients(email,user_metadata),staff(email,user_metadata),found:clients()',
        );
      if (progress === 'unsettled') query = query.neq('status', 'closed');
      else if (progress !== 'all') query = query.eq('status', progress);
      if (assignee === 'nobody') query = query.is('assignee_id', null);
      else if (assignee !== null) query = query.eq('assignee_id', assignee);
      if (priority) query = query.eq('priority', priority);
      if (category) query = query.eq('category', category);
      if (overdue) query = query.lt('due_at', new Date().toISOString());
      if (isUuid(term)) query = query.eq('id', term);
      else if (term !== '') {
        query = query.or(clientSearchFilter(term), { referencedTable: 'found' }).or(matches(term));
      }
      const { data } = await query
        .order('due_at', { ascending: true, nullsFirst: false })
        .order('updated_at', { ascending: false })
        .order('id', { ascending: false })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data.map(({ clients, staff, user_id, assignee_id, ...ticket }) => ({
        ...ticket,
        client:
          clients && user_id !== null
            ? { id: user_id, name: getFullName(clients), email: clients.email }
            : null,
        assignee: assigneeOf(assignee_id, staff),
      }));
    },
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    placeholderData: keepPreviousData,
    refetchInterval: POLL_EVERY,
    meta: { errorToast: queueFailure },
  });
}

/** PostgREST filter by subject, message or client. */
function matches(term: string): string {
  const pattern = quoteFilterValue(ilikePattern(term));
  return [`subject.ilike.${pattern}`, `message.ilike.${pattern}`, 'found.not.is.null'].join();
}

export type AdminTicketMessage = {
  id: string;
  created_at: string;
  from_staff: boolean;
  internal: boolean;
  body: string;
  /** Null for a client, a program or a former staff member. */
  staff: string | null;
  authorId: string | null;
  files: Attachment[];
};

export type AdminStatusChange = {
  id: string;
  created_at: string;
  from_staff: boolean;
  status: TicketStatus;
  staff: string | null;
};

export type AdminTicket = Ticket & {
  /** Name of the document that the ticket is about. */
  document: string | null;
  due_at: string | null;
  client: TicketClient;
  assignee: Assignee;
  messages: AdminTicketMessage[];
  history: AdminStatusChange[];
};

const POLL_THREAD = 15_000;

/** A ticket with its internal notes and the authors of its messages, or null if it does not exist. */
export function adminTicketQuery(id: string) {
  return queryOptions({
    queryKey: [...ticketKeys.all, 'office', id],
    async queryFn({ signal }): Promise<AdminTicket | null> {
      if (!isUuid(id)) return null;
      const { data } = await db()
        .from('tickets')
        .select(
          `${TICKET_COLUMNS},documents(name),due_at,user_id,assignee_id,clients(email,user_metadata),staff(email,user_metadata),ticket_messages(id,created_at,from_staff,internal,body,author_id,staff(email,user_metadata),ticket_attachments(id,name,file_url,size)),ticket_history(id,created_at,from_staff,status,staff(email,user_metadata))`,
        )
        .eq('id', id)
        .order('created_at', { referencedTable: 'ticket_messages' })
        .order('created_at', { referencedTable: 'ticket_messages.ticket_attachments' })
        .order('created_at', { referencedTable: 'ticket_history' })
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError();
      if (!data) return null;
      const { clients, documents, staff, user_id, assignee_id, ticket_messages, ticket_history, ...ticket } =
        data;
      return {
        ...ticket,
        document: documents?.name ?? null,
        client:
          clients && user_id !== null
            ? { id: user_id, name: getFullName(clients), email: clients.email }
            : null,
        assignee: assigneeOf(assignee_id, staff),
        messages: ticket_messages.map(({ staff: author, author_id, ticket_attachments, ...message }) => ({
          ...message,
          staff: author && staffName(author),
          authorId: author_id,
          files: ticket_attachments,
        })),
        history: ticket_history.map(({ staff: author, ...change }) => ({
          ...change,
          staff: author && staffName(author),
        })),
      };
    },
    staleTime: 0,
    refetchInterval: POLL_THREAD,
    meta: { errorToast: { title: 'Erro ao carregar ticket' } },
  });
}

export type TicketUpdate = Partial<
  Pick<Ticket, 'status' | 'priority' | 'category'> & { assignee_id: string | null }
>;

export async function updateTicket({ id, change }: { id: string; change: TicketUpdate }): Promise<void> {
  await db().from('tickets').update(change).eq('id', id).select('id').single().throwOnError();
}

function assigneeOf(id: string | null, staff: Parameters<typeof staffName>[0] | null): Assignee {
  return id === null ? null : { id, name: staff && staffName(staff) };
}
