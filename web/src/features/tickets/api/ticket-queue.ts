// Requests of the ticket queue: tickets of all clients.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { clientSearchFilter } from '~/features/clients/api/clients';
import { teamOf } from '~/features/staff/api';
import { departmentOf } from '~/features/staff/departments';
import { batches, type PageRequest } from '~/lib/api/batches';
import type {
  ClientRow,
  StaffRow,
  TicketCategory,
  TicketPriority,
  TicketRow,
  TicketStatus,
} from '~/lib/api/database';
import { pollEvery } from '~/lib/api/live-status';
import { getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { quoteFilterValue } from '~/lib/api/postgrest-filters';
import { accentInsensitiveRegex } from '~/lib/text-search';
import { isUuid } from '~/lib/uuid';

import { type Assignee, assigneeOf, clientOf, type TicketClient, type TicketUpdate } from './admin-tickets';
import { ticketKeys } from './tickets';

type TicketFields = Pick<
  TicketRow,
  'id' | 'subject' | 'status' | 'priority' | 'category' | 'created_at' | 'updated_at' | 'due_at'
>;

export type QueuedTicket = TicketFields & {
  client: TicketClient;
  assignee: Assignee;
  /** Time of the first message without a reply; null for a ticket that waits for no reply. */
  waitingSince: string | null;
};

/** Status filter: one status, all tickets that are not closed, or all tickets. */
export type StatusFilter = TicketStatus | 'unsettled' | 'all';

export type QueueFilters = {
  search: string;
  status: StatusFilter;
  /** ID of a staff member, a department (`departmentValue`), or `nobody`. */
  assignee: string | null;
  priority: TicketPriority | null;
  category: TicketCategory | null;
  /** Only tickets that wait for a reply. */
  unanswered: boolean;
  /** Only tickets whose response is overdue. */
  overdue: boolean;
};

export type QueueSortKey = 'subject' | 'clients(search_name)' | 'due_at' | 'created_at' | 'updated_at';
export type QueueSort = { by: QueueSortKey; ascending: boolean };

/** Numbers of tickets under each status, and of those that a further filter would leave. */
export type QueueCounts = Record<StatusFilter, number> & { unanswered: number; overdue: number };

export const BY_DUE_DATE: QueueSort = { by: 'due_at', ascending: true };

const POLL_EVERY = 60_000;
/** Maximum number of tickets in one request. */
const BATCH_SIZE = 100;
/** Number of messages that are read to find the first one without a reply. */
const NEWEST_MESSAGES = 20;
const FOUND = 'found:clients()';
const LIST_COLUMNS = `id,subject,status,priority,category,created_at,updated_at,due_at,user_id,assignee_id,clients(email,user_metadata),staff(email,user_metadata),newest:ticket_messages(created_at,from_staff),${FOUND}`;
const queueFailure = { title: 'Erro ao buscar tickets' };

type QueueFilterable = {
  eq: (column: string, value: string) => unknown;
  in: (column: string, values: readonly string[]) => unknown;
  neq: (column: string, value: string) => unknown;
  is: (column: string, value: null) => unknown;
  not: (column: string, operator: string, value: null) => unknown;
  lt: (column: string, value: string) => unknown;
  or: (filters: string, options?: { referencedTable: string }) => unknown;
};

/** Adds the conditions of the filters. The selection must contain `FOUND`. `team` are the people of the department. */
function whereFiltered<Query extends QueueFilterable>(
  query: Query,
  filters: QueueFilters,
  team: readonly string[],
): Query {
  const { search, status, assignee, priority, category, unanswered, overdue } = filters;
  if (status === 'unsettled') query.neq('status', 'closed');
  else if (status !== 'all') query.eq('status', status);
  if (assignee === 'nobody') query.is('assignee_id', null);
  else if (departmentOf(assignee) !== null) query.in('assignee_id', team);
  else if (assignee !== null) query.eq('assignee_id', assignee);
  if (priority) query.eq('priority', priority);
  if (category) query.eq('category', category);
  if (unanswered) query.not('due_at', 'is', null);
  if (overdue) query.lt('due_at', new Date().toISOString());
  if (isUuid(search)) query.eq('id', search);
  else if (search !== '') {
    query.or(clientSearchFilter(search), { referencedTable: 'found' });
    query.or(matches(search));
  }
  return query;
}

/** PostgREST filter by subject, message or client. */
function matches(term: string): string {
  const pattern = quoteFilterValue(accentInsensitiveRegex(term));
  return [`subject.imatch.${pattern}`, `message.imatch.${pattern}`, 'found.not.is.null'].join();
}

type Sortable = { order: (column: string, options: { ascending: boolean }) => unknown };
type TieBreak = readonly (readonly [column: string, ascending: boolean])[];

/** The order of tickets that are due at the same time: the most urgent first, then the oldest. */
const BY_URGENCY_AND_AGE: TieBreak = [
  ['priority_rank', false],
  ['created_at', true],
  ['id', true],
];
const BY_LAST_CHANGE: TieBreak = [
  ['updated_at', false],
  ['id', false],
];

function breakTies(query: Sortable, keys: TieBreak): void {
  for (const [column, ascending] of keys) query.order(column, { ascending });
}

/** Tickets that match the filters, from an offset on. */
export async function fetchQueue(
  filters: QueueFilters,
  { by, ascending }: QueueSort,
  { offset, limit, signal }: PageRequest,
): Promise<QueuedTicket[]> {
  const team = await teamOf(filters.assignee);
  const query = whereFiltered(db().from('tickets').select(LIST_COLUMNS), filters, team)
    .eq('newest.internal', false)
    .order('created_at', { referencedTable: 'newest', ascending: false })
    .limit(NEWEST_MESSAGES, { referencedTable: 'newest' })
    .order(by, { ascending, nullsFirst: false });
  // Work is sorted by urgency and age, a list with closed tickets by the last change.
  const isWork = filters.status !== 'closed' && filters.status !== 'all';
  breakTies(query, by === 'due_at' && isWork ? BY_URGENCY_AND_AGE : BY_LAST_CHANGE);
  const { data } = await query
    .range(offset, offset + limit - 1)
    .abortSignal(signal)
    .overrideTypes<SelectedTicket[], { merge: false }>()
    .throwOnError();
  return data.map(toQueuedTicket);
}

/** Tickets that match the filters, paginated. */
export function queueQuery(filters: QueueFilters, sort: QueueSort) {
  const trimmed = { ...filters, search: filters.search.trim() };
  return infiniteQueryOptions({
    queryKey: [...ticketKeys.all, 'queue', trimmed, sort],
    queryFn: ({ pageParam, signal }) =>
      fetchQueue(trimmed, sort, { offset: pageParam, limit: PAGE_SIZE, signal }),
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery(POLL_EVERY),
    meta: { errorToast: queueFailure },
  });
}

/**
 * The first ticket of the queue after another one that waits for a reply, or the first of all at the end of the queue.
 * Null if no other ticket waits.
 */
export function nextWaitingQuery(id: string) {
  return queryOptions({
    queryKey: [...ticketKeys.all, 'next', id],
    async queryFn({ signal }): Promise<{ id: string; subject: string } | null> {
      const query = db()
        .from('tickets')
        .select('id,subject')
        .neq('status', 'closed')
        .not('due_at', 'is', null)
        .order('due_at');
      breakTies(query, BY_URGENCY_AND_AGE);
      const { data } = await query.limit(BATCH_SIZE).abortSignal(signal).throwOnError();
      const after = data.findIndex((ticket) => ticket.id === id) + 1;
      return data[after] ?? data.find((ticket) => ticket.id !== id) ?? null;
    },
    refetchInterval: pollEvery(POLL_EVERY),
  });
}

/** Numbers of tickets under the filters of search, assignee, priority and category. */
export function queueCountsQuery(filters: QueueFilters) {
  const { status } = filters;
  const trimmed = { ...filters, search: filters.search.trim(), unanswered: false, overdue: false };
  return queryOptions({
    queryKey: [...ticketKeys.all, 'queue-counts', trimmed],
    async queryFn({ signal }): Promise<QueueCounts> {
      const team = await teamOf(filters.assignee);
      const countOf = async (filter: Partial<QueueFilters>) => {
        const query = db().from('tickets').select(`id,${FOUND}`, { count: 'exact', head: true });
        const { count } = await whereFiltered(query, { ...trimmed, ...filter }, team)
          .abortSignal(signal)
          .throwOnError();
        return count ?? 0;
      };
      const byStatus = db().from('tickets').select(`status,count(),${FOUND}`);
      const [{ data }, unanswered, overdue] = await Promise.all([
        whereFiltered(byStatus, { ...trimmed, status: 'all' }, team)
          .abortSignal(signal)
          .overrideTypes<{ status: TicketStatus; count: number }[], { merge: false }>()
          .throwOnError(),
        countOf({ status, unanswered: true }),
        countOf({ status, overdue: true }),
      ]);
      const count = (of: TicketStatus) => data.find((row) => row.status === of)?.count ?? 0;
      const unsettled = count('open') + count('in-progress');
      return {
        unsettled,
        open: count('open'),
        'in-progress': count('in-progress'),
        closed: count('closed'),
        all: unsettled + count('closed'),
        unanswered,
        overdue,
      };
    },
    placeholderData: keepPreviousData,
    // The number of overdue tickets depends on the time.
    refetchInterval: POLL_EVERY,
    meta: { errorToast: queueFailure },
  });
}

/** Changes tickets. Returns their number. */
export async function updateTickets({
  ids,
  change,
}: {
  ids: readonly string[];
  change: TicketUpdate;
}): Promise<number> {
  let changed = 0;
  for (const part of batches(ids, BATCH_SIZE)) {
    const { data } = await db().from('tickets').update(change).in('id', part).select('id').throwOnError();
    changed += data.length;
  }
  return changed;
}

type Message = { created_at: string; from_staff: boolean };

type SelectedTicket = TicketFields & {
  user_id: string | null;
  assignee_id: string | null;
  clients: Pick<ClientRow, 'email' | 'user_metadata'> | null;
  staff: Pick<StaffRow, 'email' | 'user_metadata'> | null;
  /** Newest first. */
  newest: Message[];
};

function toQueuedTicket({ clients, staff, user_id, assignee_id, newest, ...ticket }: SelectedTicket) {
  return {
    ...ticket,
    client: clientOf(user_id, clients),
    assignee: assigneeOf(assignee_id, staff),
    waitingSince: ticket.due_at === null ? null : firstUnanswered(newest, ticket.created_at),
  };
}

/** Time of the first message after the last reply. Without a reply, the ticket itself is the first message. */
function firstUnanswered(newest: readonly Message[], created: string): string {
  const lastReply = newest.findIndex(({ from_staff }) => from_staff);
  return lastReply === -1 ? created : (newest[lastReply - 1]?.created_at ?? created);
}
