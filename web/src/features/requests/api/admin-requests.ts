// Requests as the office sees them: answers to check, received files, and the items of a month.
import { queryOptions } from '@tanstack/react-query';

import { type Client, toClient } from '~/features/clients/api/clients';
import type { ClientRow, ReminderCounts, RequestItemRow } from '~/lib/api/database';
import { fetchAllPages } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { remindInBatches } from '~/lib/api/reminders';

import { FILE_COLUMNS, ITEM_COLUMNS, type RequestItem, requestKeys, type SentFile } from './requests';

export type OfficeItem = RequestItem & Pick<RequestItemRow, 'repeats_monthly'> & { client: Client | null };

/** A file that a client sent without a request. */
export type OfficeFile = SentFile & { client: Client | null };

export type NewItem = Pick<RequestItemRow, 'name' | 'hint' | 'month' | 'due_on' | 'repeats_monthly'>;

/** Maximum number of rows in one request. */
const BATCH_SIZE = 500;
/** Maximum number of rows of the lists of work. The next ones follow when some are done. */
export const WORK_LIMIT = 200;
const CLIENT = 'clients(id,email,user_metadata)';

const failure = { errorToast: { title: 'Erro ao buscar solicitações' } };

/** Items with an answer that the office did not check yet, the oldest answer first. */
export function answeredItemsQuery() {
  return queryOptions({
    queryKey: [...requestKeys.all, 'answered'],
    async queryFn({ signal }): Promise<OfficeItem[]> {
      const { data } = await selectItems()
        .eq('status', 'answered')
        .order('answered_at')
        .order('id')
        .limit(WORK_LIMIT)
        .abortSignal(signal)
        .throwOnError();
      return data.map(toOfficeItem);
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

/** Asks each client for each item. An item that was already asked for in the month stays as it is. */
export async function createItems({
  clients,
  items,
}: {
  clients: readonly string[];
  items: readonly NewItem[];
}): Promise<void> {
  const rows = clients.flatMap((client_id) => items.map((item) => ({ ...item, client_id })));
  for (let at = 0; at < rows.length; at += BATCH_SIZE) {
    await db()
      .from('request_items')
      .insert(rows.slice(at, at + BATCH_SIZE))
      .throwOnError();
  }
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

export async function refuseItem({ id, reason }: { id: string; reason: string }): Promise<void> {
  await db()
    .from('request_items')
    .update({ status: 'refused', refusal_reason: reason })
    .eq('id', id)
    .throwOnError();
}

export async function stopRepeating(id: string): Promise<void> {
  await db().from('request_items').update({ repeats_monthly: false }).eq('id', id).throwOnError();
}

export async function deleteItem(id: string): Promise<void> {
  await db().from('request_items').delete().eq('id', id).throwOnError();
}

function selectItems() {
  return db()
    .from('request_items')
    .select(`${ITEM_COLUMNS},repeats_monthly,received_files(${FILE_COLUMNS}),${CLIENT}`)
    .order('created_at', { referencedTable: 'received_files' });
}

type ItemRow = Omit<OfficeItem, 'client'> & {
  clients: Pick<ClientRow, 'id' | 'email' | 'user_metadata'> | null;
};

function toOfficeItem({ clients, ...item }: ItemRow): OfficeItem {
  return { ...item, client: clients && toClient(clients) };
}
