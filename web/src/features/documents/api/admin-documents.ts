// Documents as the back office sees them: everybody's, with whose they are.
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';

import { clientSearchFilter, getFullName } from '~/features/clients/api/clients';
import { allFoldersQuery } from '~/features/folders/admin-api';
import type { ClientRow } from '~/lib/api/database';
import { getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { ilikePattern, quoteFilterValue } from '~/lib/api/postgrest-filters';
import { queryClient } from '~/lib/api/query-client';
import { foldAccents, matchesSearch } from '~/lib/text-search';

import { documentKeys } from './documents';

/** Which document it is, whose, and where it lies. */
export type AdminDocumentSummary = {
  id: string;
  name: string;
  type: string;
  file_url: string | null;
  folder: string | null;
  client: { name: string | null; email: string } | null;
};
export type AdminDocumentListItem = AdminDocumentSummary & {
  uploaded_at: string | null;
  expires_at: string | null;
};

/** Every document by name, client or folder, newest first, a page at a time. */
export function adminDocumentsQuery(search: string) {
  const term = search.trim();
  return infiniteQueryOptions({
    queryKey: [...documentKeys.all, 'admin', term],
    async queryFn({ pageParam, signal }): Promise<AdminDocumentListItem[]> {
      let query = db()
        .from('documents')
        .select(
          'id,name,type,file_url,uploaded_at,expires_at,folders(name),clients(email,user_metadata),found:clients()',
        );
      if (term !== '') {
        query = query
          .or(clientSearchFilter(term), { referencedTable: 'found' })
          .or(await documentSearchFilter(term));
      }
      const { data } = await query
        .order('uploaded_at', { ascending: false, nullsFirst: false })
        .order('id', { ascending: false })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data.map(withDisplayNames);
    },
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    placeholderData: keepPreviousData,
    meta: { errorToast: { title: 'Erro ao buscar documentos' } },
  });
}

/** The server retires the document's file along with it. */
export async function deleteDocument({ id }: { id: string }): Promise<void> {
  await db().from('documents').delete().eq('id', id).throwOnError();
}

/** By name, by a client that the words find, or by folder: folders are few, so they are found first. */
async function documentSearchFilter(term: string): Promise<string> {
  const folders = await queryClient.fetchQuery(allFoldersQuery());
  const folderIds = folders
    .filter(({ name }) => matchesSearch(name, term))
    .map(({ id }) => quoteFilterValue(id));
  return [
    `search_name.ilike.${quoteFilterValue(ilikePattern(foldAccents(term)))}`,
    'found.not.is.null',
    `folder_id_supabase.in.(${folderIds.join()})`,
  ].join();
}

/** A row with its folder and its client as people call them. */
export function withDisplayNames<
  Row extends {
    folders: { name: string } | null;
    clients: Pick<ClientRow, 'email' | 'user_metadata'> | null;
  },
>({ folders, clients, ...document }: Row) {
  return {
    ...document,
    folder: folders?.name ?? null,
    client: clients && { name: getFullName(clients), email: clients.email },
  };
}
