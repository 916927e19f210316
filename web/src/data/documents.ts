import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { addToDay, type Day, soonWindow, startOfDayUtc } from '~/lib/dates';
import { isId } from '~/lib/ids';
import { containing, nextOffset, PAGE_SIZE, readAll } from '~/lib/paging';
import { server } from '~/lib/supabase';

import { clientLoadFailure } from './load-failure';

export type DocumentSummary = {
  id: string;
  name: string;
  type: string;
  created_at: string;
  expires_at: string | null;
};

export type DocumentDetail = DocumentSummary & {
  folder_id_supabase: string;
  status: string;
  file_url: string | null;
  size: number | null;
  folders: { name: string } | null;
};

/** What a list of expiries shows of a document. */
export type Expiring = { id: string; name: string; type: string; expires_at: string | null };

const SUMMARY = 'id,name,type,created_at,expires_at';
const UPCOMING = 5;
export const SOON_SHOWN = 10;

export const documentKeys = { all: ['documents'] as const };

export function documentCountQuery() {
  return queryOptions({
    queryKey: [...documentKeys.all, 'count'],
    async queryFn({ signal }): Promise<number> {
      const { count } = await server()
        .rest.from('documents')
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
    async queryFn({ pageParam, signal }): Promise<DocumentSummary[]> {
      let query = server().rest.from('documents').select(SUMMARY).eq('folder_id_supabase', folderId);
      if (search.trim() !== '') query = query.ilike('name', containing(search));
      const { data } = await query
        .order('uploaded_at', { ascending: false, nullsFirst: false })
        .order('id', { ascending: false })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data;
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
      const { data } = await server()
        .rest.from('documents')
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
  return server()
    .rest.from('documents')
    .select('id,name,type,expires_at', options)
    .order('expires_at')
    .order('id');
}
