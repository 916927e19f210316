// Ticket requests of the client portal.
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
} from '@tanstack/react-query';

import type { TicketCategory, TicketPriority, TicketStatus } from '~/lib/api/database';
import { portalLoadErrorToast } from '~/lib/api/error-toasts';
import { getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { quoteFilterValue } from '~/lib/api/postgrest-filters';
import { queryClient } from '~/lib/api/query-client';
import { toTicketTimestamp } from '~/lib/dates';
import type { Draft } from '~/lib/drafts/drafts';
import { accentInsensitiveRegex, matchesSearch } from '~/lib/text-search';
import { isUuid } from '~/lib/uuid';

export type Ticket = {
  id: string;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  status: TicketStatus;
  subject: string;
  category: TicketCategory;
  priority: TicketPriority;
  message: string;
  /** ID of the closed ticket that this ticket continues. */
  follow_up_of_id: string | null;
  /** ID of the document that this ticket is about. */
  document_id: string | null;
  /** Name of the member who opened the ticket; null for the client's own account. */
  member_name: string | null;
};

/** A ticket of the list, with its newest message and whether the person has not read the office's last reply. */
export type ListedTicket = Ticket & {
  newest: { body: string; from_staff: boolean }[];
  unread: { id: string }[];
};

export type NewTicket = Pick<
  Ticket,
  'subject' | 'category' | 'priority' | 'message' | 'follow_up_of_id' | 'document_id'
>;

export type TicketFilter = { search: string; status: TicketStatus | null };

export const TICKET_COLUMNS =
  'id,created_at,updated_at,closed_at,status,subject,category,priority,message,follow_up_of_id,document_id,member_name';
const LIST_COLUMNS =
  `${TICKET_COLUMNS},newest:ticket_messages(body,from_staff),unread:notifications(id)` as const;
const LATEST_LIMIT = 3;

export const ticketKeys = {
  all: ['tickets'] as const,
  create: ['create-ticket'] as const,
  /** The first new reply of a ticket at the visit. It is not below `all`, because a change of the ticket does not change it. */
  firstNewReply: (id: string) => ['first-new-reply', id] as const,
};

/** Whether a ticket of `ticketsQuery` matches the search. */
export function matchesTicketSearch({ id, subject, message }: Ticket, search: string): boolean {
  return id === search.trim().toLowerCase() || [subject, message].some((text) => matchesSearch(text, search));
}

/**
 * Tickets, newest first, paginated. The search matches subject, message or a full ID.
 */
export function ticketsQuery({ search, status }: TicketFilter) {
  const term = search.trim();
  return infiniteQueryOptions({
    queryKey: [...ticketKeys.all, 'list', status, term],
    async queryFn({ pageParam, signal }): Promise<ListedTicket[]> {
      let query = db().from('tickets').select(LIST_COLUMNS);
      if (status) query = query.eq('status', status);
      if (isUuid(term)) query = query.eq('id', term);
      else if (term !== '') {
        const pattern = quoteFilterValue(accentInsensitiveRegex(term));
        query = query.or(`subject.imatch.${pattern},message.imatch.${pattern}`);
      }
      const { data } = await query
        .is('unread.read_at', null)
        .order('created_at', { referencedTable: 'newest', ascending: false })
        .limit(1, { referencedTable: 'newest' })
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    placeholderData: keepPreviousData,
    meta: { errorToast: portalLoadErrorToast },
  });
}

export function ticketCountQuery(status: TicketStatus) {
  return queryOptions({
    queryKey: [...ticketKeys.all, 'count', status],
    async queryFn({ signal }): Promise<number> {
      const { count } = await db()
        .from('tickets')
        .select('*', { count: 'exact', head: true })
        .eq('status', status)
        .abortSignal(signal)
        .throwOnError();
      return count ?? 0;
    },
    meta: { errorToast: portalLoadErrorToast },
  });
}

export function latestTicketsQuery() {
  return queryOptions({
    queryKey: [...ticketKeys.all, 'latest'],
    async queryFn({ signal }): Promise<Pick<Ticket, 'id' | 'subject' | 'created_at' | 'status'>[]> {
      const { data } = await db()
        .from('tickets')
        .select('id,subject,created_at,status')
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(LATEST_LIMIT)
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
    meta: { errorToast: portalLoadErrorToast },
  });
}

/** Creates a ticket. The idempotency key makes retries safe. */
export async function createTicket({ idempotencyKey, values }: Draft<NewTicket>): Promise<Ticket> {
  const { data } = await db()
    .from('tickets')
    .insert({
      created_at: toTicketTimestamp(new Date()),
      status: 'open',
      ...values,
      idempotency_key: idempotencyKey,
    })
    .select(TICKET_COLUMNS)
    .single()
    .throwOnError();
  prependToList(data);
  return data;
}

export async function closeTicket(id: string): Promise<void> {
  await db().from('tickets').update({ status: 'closed' }).eq('id', id).select('id').single().throwOnError();
}

/** Inserts a new ticket at the top of the cached, unfiltered list until the refetch completes. */
function prependToList(ticket: Ticket): void {
  queryClient.setQueryData<InfiniteData<ListedTicket[], number>>(
    ticketsQuery({ search: '', status: null }).queryKey,
    (list) => {
      if (!list || list.pages.flat().some(({ id }) => id === ticket.id)) return list;
      const listed = { ...ticket, newest: [], unread: [] };
      return { ...list, pages: list.pages.map((page, at) => (at === 0 ? [listed, ...page] : page)) };
    },
  );
}
