import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { clientLoadFailure } from '~/lib/api/error-toasts';
import { nextOffset, PAGE_SIZE, readAll } from '~/lib/api/pagination';
import { rest } from '~/lib/api/postgrest';
import { addToDay, type Day, soonWindow, startOfDayUtc } from '~/lib/dates';
import { containingLoosely } from '~/lib/text-search';
import { isId } from '~/lib/uuid';

export type DocumentSummary = {
  id: string;
  name: string;
  type: string;
  created_at: string;
  expires_at: string | null;
};

/** A document in its folder, and whether its owner has opened it. */
export type ListedDocument = DocumentSummary & {
  uploaded_at: string | null;
  file_url: string | null;
  status: string;
  seen: boolean;
};

export type DocumentDetail = DocumentSummary & {
  folder_id_supabase: string;
  status: string;
  file_url: string | null;
  size: number | null;
  folders: { name: string } | null;
};

/** What a list of expiries shows of a document. */
export type Expiring = {
  id: string;
  name: string;
  type: string;
  file_url: string | null;
  expires_at: string | null;
};

const SUMMARY = 'id,name,type,created_at,expires_at';
const UPCOMING = 5;
const SOON_SHOWN = 10;

export const documentKeys = { all: ['documents'] as const };

export function documentCountQuery() {
  return queryOptions({
    queryKey: [...documentKeys.all, 'count'],
    async queryFn({ signal }): Promise<number> {
      const { count } = await rest()
        .from('documents')
        .select('*', { count: 'exact', head: true })
        .abortSignal(signal)
        .throwOnError();
      return count ?? 0;
    },
    meta: { failure: clientLoadFailure },
  });
}

/** Documents of one folder, newest first, a page at a time. */
export function folderDocumentsQuery(folderId: string, search: string) {
  return infiniteQueryOptions({
    queryKey: [...documentKeys.all, 'folder', folderId, search.trim()],
    async queryFn({ pageParam, signal }): Promise<ListedDocument[]> {
      let query = rest()
        .from('documents')
        .select(`${SUMMARY},uploaded_at,file_url,status,document_receipts(count)`)
        .eq('folder_id_supabase', folderId);
      // More than what is looked for: whoever shows it keeps what `foundIn` finds.
      if (search.trim() !== '') query = query.ilike('name', containingLoosely(search));
      const { data } = await query
        .order('uploaded_at', { ascending: false, nullsFirst: false })
        .order('id', { ascending: false })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data.map(({ document_receipts: receipts, ...document }) => ({
        ...document,
        seen: (receipts[0]?.count ?? 0) > 0,
      }));
    },
    initialPageParam: 0,
    getNextPageParam: nextOffset,
    placeholderData: keepPreviousData,
    meta: { failure: clientLoadFailure },
  });
}

/** One document, or null when it does not exist or belongs to someone else. */
export function documentQuery(id: string) {
  return queryOptions({
    queryKey: [...documentKeys.all, 'one', id],
    async queryFn({ signal }): Promise<DocumentDetail | null> {
      if (!isId(id)) return null;
      const { data } = await rest()
        .from('documents')
        .select(`${SUMMARY},folder_id_supabase,status,file_url,size,folders(name)`)
        .eq('id', id)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError();
      return data;
    },
    meta: { failure: clientLoadFailure },
  });
}

/** What is new: it can be opened, it came after the last visit began, and its owner has not opened it. */
export function isNew(document: ListedDocument, lastVisit: string | null): boolean {
  const { seen, file_url: path, status, uploaded_at: uploadedAt } = document;
  if (seen || path === null || status === 'pending' || uploadedAt === null) return false;
  return lastVisit === null || Date.parse(uploadedAt) > Date.parse(lastVisit);
}

/** What expires within the next seven days, soonest first, and how many there are in all. */
export function expiringSoonQuery() {
  return queryOptions({
    queryKey: [...documentKeys.all, 'soon'],
    async queryFn({ signal }): Promise<{ documents: Expiring[]; total: number }> {
      const { after, until } = soonWindow();
      const { data, count } = await expiring({ count: 'exact' })
        .gt('expires_at', after)
        .lte('expires_at', until)
        .limit(SOON_SHOWN)
        .abortSignal(signal)
        .throwOnError();
      return { documents: data, total: count ?? data.length };
    },
    // What is due moves on by itself.
    refetchInterval: 60_000,
    meta: { failure: clientLoadFailure },
  });
}

/** The next five expiries. */
export function upcomingQuery() {
  return queryOptions({
    queryKey: [...documentKeys.all, 'upcoming'],
    async queryFn({ signal }): Promise<Expiring[]> {
      const { data } = await expiring()
        .gt('expires_at', new Date().toISOString())
        .limit(UPCOMING)
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
    // What is due moves on by itself.
    refetchInterval: 60_000,
    meta: { failure: clientLoadFailure },
  });
}

/** Every expiry from the first day to the last, both included. */
export function expiriesBetweenQuery(first: Day, last: Day) {
  return queryOptions({
    queryKey: [...documentKeys.all, 'between', first, last],
    queryFn: ({ signal }): Promise<Expiring[]> =>
      readAll((from, to) =>
        expiring()
          .gte('expires_at', startOfDayUtc(first))
          .lt('expires_at', startOfDayUtc(addToDay(last, 1)))
          .range(from, to)
          .abortSignal(signal)
          .throwOnError(),
      ),
    meta: { failure: clientLoadFailure },
  });
}

function expiring(options: { count?: 'exact' } = {}) {
  return rest()
    .from('documents')
    .select('id,name,type,file_url,expires_at', options)
    .order('expires_at')
    .order('id');
}
