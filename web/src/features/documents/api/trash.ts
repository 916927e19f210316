// The trash: documents that staff deleted, and can restore for 30 days.
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';

import { clientSearchFilter } from '~/features/clients/api/clients';
import { getFullName } from '~/features/clients/api/full-name';
import { staffName } from '~/features/staff/api';
import { batches, type PageRequest } from '~/lib/api/batches';
import type { ClientRow, StaffRow } from '~/lib/api/database';
import { getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { ilikePattern, quoteFilterValue } from '~/lib/api/postgrest-filters';
import { foldAccents } from '~/lib/text-search';

import { documentKeys } from './documents';
import { fetchAllIds, type Removal, removeInBatches } from './removal';

export type DeletedDocument = {
  id: string;
  name: string;
  /** The file in the trash. */
  file_url: string | null;
  size: number | null;
  deleted_at: string;
  /** When the server removes it for good. */
  purge_at: string;
  /** Null if the folder was deleted, too. */
  folder: string | null;
  client: { name: string | null; email: string } | null;
  /** Null for a program, and for a former member of staff. */
  deletedBy: string | null;
};

export type TrashSortKey = 'deleted_at' | 'search_name' | 'clients(search_name)';
export type TrashSort = { by: TrashSortKey; ascending: boolean };

export const LAST_DELETED_FIRST: TrashSort = { by: 'deleted_at', ascending: false };

// The empty embed serves the search.
const COLUMNS =
  'id,name,file_url,size,deleted_at,purge_at,folders(name),clients(email,user_metadata),staff(email,user_metadata),found:clients()';

/** Deleted documents whose name or client matches a search, from an offset on. */
export async function fetchDeletedDocuments(
  search: string,
  { by, ascending }: TrashSort,
  { offset, limit, signal }: PageRequest,
): Promise<DeletedDocument[]> {
  let query = db().from('deleted_documents').select(COLUMNS);
  if (search !== '') {
    const name = quoteFilterValue(ilikePattern(foldAccents(search)));
    query = query.or(clientSearchFilter(search), { referencedTable: 'found' });
    query = query.or(`search_name.ilike.${name},found.not.is.null`);
  }
  const { data } = await query
    .order(by, { ascending, nullsFirst: false })
    .order('id', { ascending })
    .range(offset, offset + limit - 1)
    .abortSignal(signal)
    .overrideTypes<SelectedDocument[], { merge: false }>()
    .throwOnError();
  return data.map(({ folders, clients, staff, ...document }) => ({
    ...document,
    folder: folders?.name ?? null,
    client: clients && { name: getFullName(clients), email: clients.email },
    deletedBy: staff && staffName(staff),
  }));
}

export function trashQuery(search: string, sort: TrashSort) {
  const trimmed = search.trim();
  return infiniteQueryOptions({
    queryKey: [...documentKeys.all, 'trash', trimmed, sort],
    queryFn: ({ pageParam, signal }) =>
      fetchDeletedDocuments(trimmed, sort, { offset: pageParam, limit: PAGE_SIZE, signal }),
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    placeholderData: keepPreviousData,
    meta: { errorToast: { title: 'Erro ao buscar a lixeira' } },
  });
}

/** Number of documents that the server restores in a request: all of them, or none. */
const RESTORED_AT_ONCE = 500;

/** Documents to restore. `folder` receives those whose folder was deleted. */
export type Restoration = { ids: readonly string[]; folder?: string | undefined };

/** Takes documents out of the trash. */
export async function restoreDocuments({ ids, folder }: Restoration): Promise<void> {
  for (const documents of batches(ids, RESTORED_AT_ONCE))
    await db()
      .rpc('restore_documents', { documents, ...(folder !== undefined && { folder }) })
      .throwOnError();
}

/** Removes at most 100 documents of the trash for good. Returns their number. */
export async function purgeBatch(ids: readonly string[]): Promise<number> {
  const { data } = await db().from('deleted_documents').delete().in('id', ids).select('id').throwOnError();
  return data.length;
}

/** Removes documents of the trash for good. */
export function purgeDocuments(ids: readonly string[]): Promise<Removal> {
  return removeInBatches(ids, purgeBatch);
}

/** Removes the documents that are in the trash now for good. Those that are deleted meanwhile stay. */
export async function emptyTrash(): Promise<Removal> {
  const { data } = await db()
    .from('deleted_documents')
    .select('deleted_at')
    .order('deleted_at', { ascending: false })
    .limit(1)
    .throwOnError();
  const newest = data[0]?.deleted_at;
  if (newest === undefined) return { count: 0 };
  const ids = await fetchAllIds((after, limit) => {
    const query = db().from('deleted_documents').select('id').lte('deleted_at', newest);
    const page = after === undefined ? query : query.gt('id', after);
    return page.order('id').limit(limit).throwOnError();
  });
  return removeInBatches(ids, async (batch) => {
    const removed = await db()
      .from('deleted_documents')
      .delete()
      .in('id', batch)
      // A document may be restored and deleted again.
      .lte('deleted_at', newest)
      .select('id')
      .throwOnError();
    return removed.data.length;
  });
}

type SelectedDocument = Omit<DeletedDocument, 'folder' | 'client' | 'deletedBy'> & {
  folders: { name: string } | null;
  clients: Pick<ClientRow, 'email' | 'user_metadata'> | null;
  staff: Pick<StaffRow, 'email' | 'user_metadata'> | null;
};
