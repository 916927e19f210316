// Requests of the office to the client, and the files that the client sends.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import type { ReceivedFileRow, RequestItemRow } from '~/lib/api/database';
import { portalLoadErrorToast } from '~/lib/api/error-toasts';
import { getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { addDaysToDay, startOfDayUtc, today } from '~/lib/dates';

export type ReceivedFile = Pick<
  ReceivedFileRow,
  'id' | 'name' | 'file_url' | 'size' | 'created_at' | 'refused_at' | 'filed_at'
>;

export type RequestItem = Pick<
  RequestItemRow,
  'id' | 'name' | 'hint' | 'month' | 'due_on' | 'status' | 'refusal_reason' | 'answered_at'
> & { received_files: ReceivedFile[] };

export type SentFile = ReceivedFile & Pick<ReceivedFileRow, 'note'>;

export const requestKeys = { all: ['requests'] as const };

export const FILE_COLUMNS = 'id,name,file_url,size,created_at,refused_at,filed_at';
export const ITEM_COLUMNS = 'id,name,hint,month,due_on,status,refusal_reason,answered_at';

/** Whether the office has neither filed nor refused a file. */
export const isWaiting = ({ refused_at, filed_at }: ReceivedFile): boolean =>
  refused_at === null && filed_at === null;

/** Maximum number of items on the home page. */
const HOME_LIMIT = 5;
/** Maximum number of items that wait for the client or for the office. */
const CURRENT_LIMIT = 200;

const failure = { errorToast: portalLoadErrorToast };

/** The first items that wait for the client, and the number of all. */
export function missingItemsQuery() {
  return queryOptions({
    queryKey: [...requestKeys.all, 'missing'],
    async queryFn({ signal }) {
      const { data, count } = await db()
        .from('request_items')
        .select('id,name,month,due_on,status', { count: 'exact' })
        .in('status', ['open', 'refused'])
        .order('due_on', { nullsFirst: false })
        .order('created_at')
        .limit(HOME_LIMIT)
        .abortSignal(signal)
        .throwOnError();
      return { items: data, total: count ?? 0 };
    },
    meta: failure,
  });
}

/** Number of days in which an answer that there is nothing to send can be taken back. */
const UNDO_DAYS = 7;

/**
 * The items that wait for the client, then those that wait for the office, and the answers that there is nothing to send:
 * recent ones, and those of items that are not over.
 */
export function currentItemsQuery() {
  return queryOptions({
    queryKey: [...requestKeys.all, 'current'],
    async queryFn({ signal }): Promise<RequestItem[]> {
      const { data } = await db()
        .from('request_items')
        .select(`${ITEM_COLUMNS},received_files(${FILE_COLUMNS})`)
        .or(
          `status.in.(open,refused,answered),and(status.eq.nothing,or(month.gte.${today().slice(0, 7)},due_on.gte.${today()},answered_at.gte.${undoStart()}))`,
        )
        .order('due_on', { nullsFirst: false })
        .order('created_at')
        .order('created_at', { referencedTable: 'received_files' })
        .limit(CURRENT_LIMIT)
        .abortSignal(signal)
        .throwOnError();
      const waits = ({ status }: RequestItem) => (status === 'open' || status === 'refused' ? 0 : 1);
      return data.toSorted((one, next) => waits(one) - waits(next));
    },
    meta: failure,
  });
}

/** The start of the day from which answers are recent, the same for both lists. */
function undoStart(): string {
  return startOfDayUtc(addDaysToDay(today(), -UNDO_DAYS));
}

/** The items that `currentItemsQuery` does not contain, newest first, paginated. */
export function resolvedItemsQuery() {
  return infiniteQueryOptions({
    queryKey: [...requestKeys.all, 'resolved'],
    async queryFn({ pageParam, signal }): Promise<Omit<RequestItem, 'received_files'>[]> {
      const { data } = await db()
        .from('request_items')
        .select(ITEM_COLUMNS)
        .or(
          `status.eq.accepted,and(status.eq.nothing,month.lt.${today().slice(0, 7)},or(due_on.is.null,due_on.lt.${today()}),answered_at.lt.${undoStart()})`,
        )
        .order('answered_at', { ascending: false })
        .order('id', { ascending: false })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    meta: failure,
  });
}

/** The files that the client sent without a request, newest first, paginated. */
export function sentFilesQuery() {
  return infiniteQueryOptions({
    queryKey: [...requestKeys.all, 'sent'],
    async queryFn({ pageParam, signal }): Promise<SentFile[]> {
      const { data } = await db()
        .from('received_files')
        .select(`${FILE_COLUMNS},note`)
        .is('item_id', null)
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    meta: failure,
  });
}

/** Answers that there is nothing to send, or takes that back. */
export async function answerItem({ id, status }: { id: string; status: 'nothing' | 'open' }): Promise<void> {
  await db().from('request_items').update({ status }).eq('id', id).throwOnError();
}

export async function deleteReceivedFile(id: string): Promise<void> {
  await db().from('received_files').delete().eq('id', id).throwOnError();
}
