// Requests as the office sees them: answers to check, received files, and the items of a month.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { type Client, clientSearchFilter, toClient } from '~/features/clients/api/clients';
import { batches, type PageRequest } from '~/lib/api/batches';
import type { ClientRow, ReminderCounts, RequestItemRow } from '~/lib/api/database';
import { fetchAllPages, getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { quoteFilterValue } from '~/lib/api/postgrest-filters';
import { remindInBatches } from '~/lib/api/reminders';
import { accentInsensitiveRegex } from '~/lib/text-search';

import { FILE_COLUMNS, ITEM_COLUMNS, type RequestItem, requestKeys, type SentFile } from './requests';

export type OfficeItem = RequestItem & Pick<RequestItemRow, 'repeats_monthly'> & { client: Client | null };

/** A file that a client sent without a request. */
export type OfficeFile = SentFile & { client: Client | null };

export type NewItem = Pick<RequestItemRow, 'name' | 'hint' | 'month' | 'due_on' | 'repeats_monthly'>;

export type AnsweredSortKey = 'name' | 'clients(search_name)' | 'month' | 'answered_at';
export type AnsweredSort = { by: AnsweredSortKey; ascending: boolean };

export const OLDEST_ANSWER_FIRST: AnsweredSort = { by: 'answered_at', ascending: true };

/** Maximum number of rows in one request. */
const BATCH_SIZE = 500;
/** Number of clients whose items are read at once. Their ids are part of the address of a request. */
const CLIENT_BATCH = 100;
/** Maximum number of rows of the list of received files. The next ones follow when some are done. */
export const WORK_LIMIT = 200;
const CLIENT = 'clients(id,email,user_metadata)';

const failure = { errorToast: { title: 'Erro ao buscar solicitações' } };

/** Items with an answer that the office did not check yet and whose name or client matches a search, from an offset on. */
export async function fetchAnsweredItems(
  search: string,
  { by, ascending }: AnsweredSort,
  { offset, limit, signal }: PageRequest,
): Promise<OfficeItem[]> {
  let query = selectItems().eq('status', 'answered');
  if (search !== '') {
    const name = quoteFilterValue(accentInsensitiveRegex(search));
    query = query.or(clientSearchFilter(search), { referencedTable: 'found' });
    query = query.or(`name.imatch.${name},found.not.is.null`);
  }
  const { data } = await query
    .order(by, { ascending })
    .order('id', { ascending })
    .range(offset, offset + limit - 1)
    .abortSignal(signal)
    .throwOnError();
  return data.map(toOfficeItem);
}

/** The result of `fetchAnsweredItems`, paginated. */
export function answeredItemsQuery(search: string, sort: AnsweredSort) {
  const trimmed = search.trim();
  return infiniteQueryOptions({
    queryKey: [...requestKeys.all, 'answered', trimmed, sort],
    queryFn: ({ pageParam, signal }) =>
      fetchAnsweredItems(trimmed, sort, { offset: pageParam, limit: PAGE_SIZE, signal }),
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    placeholderData: keepPreviousData,
    meta: failure,
  });
}

/** Number of items with an answer that the office did not check yet. */
export function answeredCountQuery() {
  return queryOptions({
    queryKey: [...requestKeys.all, 'answered-count'],
    async queryFn({ signal }): Promise<number> {
      const { count } = await db()
        .from('request_items')
        .select('id', { count: 'exact', head: true })
        .eq('status', 'answered')
        .abortSignal(signal)
        .throwOnError();
      return count ?? 0;
    },
    meta: failure,
  });
}

/** The items of a month, of all clients. */
export function monthItemsQuery(month: string) {
  return queryOptions({
    queryKey: [...requestKeys.all, 'month', month],
    async queryFn({ signal }): Promise<OfficeItem[]> {
      const rows = await fetchAllPages((from, to) =>
        selectItems()
          .eq('month', month)
          .order('created_at')
          .order('id')
          .range(from, to)
          .abortSignal(signal)
          .throwOnError(),
      );
      return rows.map(toOfficeItem);
    },
    meta: failure,
  });
}

/** An item; null if it was deleted. */
export function itemQuery(id: string) {
  return queryOptions({
    queryKey: [...requestKeys.all, 'item', id],
    async queryFn({ signal }): Promise<OfficeItem | null> {
      const { data } = await selectItems().eq('id', id).abortSignal(signal).maybeSingle().throwOnError();
      return data && toOfficeItem(data);
    },
    meta: failure,
  });
}

/** Files that clients sent without a request and that are not filed, the oldest first. */
export function unfiledFilesQuery() {
  return queryOptions({
    queryKey: [...requestKeys.all, 'unfiled'],
    async queryFn({ signal }): Promise<OfficeFile[]> {
      const { data } = await db()
        .from('received_files')
        .select(`${FILE_COLUMNS},note,${CLIENT}`)
        .is('item_id', null)
        .is('filed_at', null)
        .order('created_at')
        .order('id')
        .limit(WORK_LIMIT)
        .abortSignal(signal)
        .throwOnError();
      return data.map(({ clients, ...file }) => ({ ...file, client: clients && toClient(clients) }));
    },
    meta: failure,
  });
}

/** Numbers of items: those that a request created, and those that had been asked for before. */
export type ItemCounts = { created: number; existing: number };

/** Asks each client for each item. An item that was already asked for in the month stays as it is. */
export async function createItems({
  clients,
  items,
}: {
  clients: readonly string[];
  items: readonly NewItem[];
}): Promise<ItemCounts> {
  const known = new Set<string>();
  const months = [...new Set(items.map(({ month }) => month))];
  for (const batch of batches(clients, CLIENT_BATCH)) {
    // Without the names: the client does not escape quotation marks in lists, and many names exceed an address.
    const before = await fetchAllPages((from, to) =>
      db()
        .from('request_items')
        .select('id')
        .in('month', months)
        .in('client_id', batch)
        .order('id')
        .range(from, to)
        .throwOnError(),
    );
    for (const { id } of before) known.add(id);
  }
  const rows = clients.flatMap((client_id) => items.map((item) => ({ ...item, client_id })));
  const answered = new Set<string>();
  for (const batch of batches(rows, BATCH_SIZE)) {
    const { data } = await db().from('request_items').insert(batch).select('id').throwOnError();
    for (const { id } of data) answered.add(id);
  }
  // The answer of an insert holds an existing item like a new one. Staff with assigned clients choose no ids.
  const created = [...answered].filter((id) => !known.has(id)).length;
  return { created, existing: answered.size - created };
}

/** Makes received files documents in a folder. `names` holds the name of the document for the id of each file. */
export async function fileReceivedFiles(filing: {
  folder: string;
  names: Record<string, string>;
}): Promise<void> {
  await db().rpc('file_received_files', filing).throwOnError();
}

/** Mails reminders. The server sends one per item and day. */
export async function remindItems(ids: readonly string[]): Promise<ReminderCounts> {
  return await remindInBatches(ids, async (items) => {
    const { data } = await db().rpc('remind_request_items', { items }).throwOnError();
    return data;
  });
}

export type Refusal = {
  id: string;
  reason: string;
  /** The `answered_at` of the answer that was checked. Each file of the client changes it. */
  seen: string | null;
};

/** `new-files` and `changed`: the item was not refused, because its answer is not the checked one any more. */
export type RefusalResult = 'refused' | 'new-files' | 'changed';

export async function refuseItem({ id, reason, seen }: Refusal): Promise<RefusalResult> {
  const { data: refused } = await db()
    .from('request_items')
    .update({ status: 'refused', refusal_reason: reason })
    .eq('id', id)
    .filter('answered_at', seen === null ? 'is' : 'eq', seen)
    .select('id')
    .throwOnError();
  if (refused.length > 0) return 'refused';
  const { data: item } = await db()
    .from('request_items')
    .select('status')
    .eq('id', id)
    .maybeSingle()
    .throwOnError();
  return item?.status === 'answered' ? 'new-files' : 'changed';
}

export async function stopRepeating(id: string): Promise<void> {
  await db().from('request_items').update({ repeats_monthly: false }).eq('id', id).throwOnError();
}

export async function deleteItem(id: string): Promise<void> {
  await db().from('request_items').delete().eq('id', id).throwOnError();
}

export function selectItems() {
  return (
    db()
      .from('request_items')
      // The empty embed serves the search.
      .select(`${ITEM_COLUMNS},repeats_monthly,received_files(${FILE_COLUMNS}),${CLIENT},found:clients()`)
      .order('created_at', { referencedTable: 'received_files' })
  );
}

/** The name of an item with its client, as lists and messages show it. */
export function itemLabel({ name, client }: OfficeItem): string {
  return `${name} de ${clientLabel(client)}`;
}

export function clientLabel(client: Client | null): string {
  return client?.fullName ?? client?.email ?? 'N/A';
}

type ItemRow = Omit<OfficeItem, 'client'> & {
  clients: Pick<ClientRow, 'id' | 'email' | 'user_metadata'> | null;
};

export function toOfficeItem({ clients, ...item }: ItemRow): OfficeItem {
  return { ...item, client: clients && toClient(clients) };
}
