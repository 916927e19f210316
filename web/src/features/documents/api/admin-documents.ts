// Document lists for administrators: documents of all clients.
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';

import { clientSearchFilter, getFullName } from '~/features/clients/api/clients';
import { allFoldersQuery } from '~/features/folders/admin-api';
import type { ClientRow } from '~/lib/api/database';
import { getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { ilikePattern, quoteFilterValue } from '~/lib/api/postgrest-filters';
import { queryClient } from '~/lib/api/query-client';
import type { Day } from '~/lib/dates';
import { foldAccents, matchesSearch } from '~/lib/text-search';

import { documentKeys } from './documents';

/** Document with its client and folder. */
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
  document_payments: { paid_on: Day }[];
};

/** Documents that clients pay: all, those without a reported payment, or those with one. */
export type PaymentFilter = 'all' | 'unpaid' | 'paid';

const HAS_PAYMENT_DATA = 'amount_cents.not.is.null,payment_line.not.is.null,pix_code.not.is.null';

/** Documents that match a name, a client or a folder, newest first, paginated. */
export function adminDocumentsQuery(search: string, payment: PaymentFilter = 'all') {
  const term = search.trim();
  return infiniteQueryOptions({
    queryKey: [...documentKeys.all, 'admin', term, payment],
    async queryFn({ pageParam, signal }): Promise<AdminDocumentListItem[]> {
      let query = db()
        .from('documents')
        .select(
          'id,name,type,file_url,uploaded_at,expires_at,folders(name),clients(email,user_metadata),document_payments(paid_on),found:clients(),paid:document_payments()',
        );
      if (payment === 'unpaid') query = query.or(HAS_PAYMENT_DATA).is('paid', null);
      if (payment === 'paid') query = query.not('paid', 'is', null);
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

/** Deletes a document. The server removes its file too. */
export async function deleteDocument({ id }: { id: string }): Promise<void> {
  await db().from('documents').delete().eq('id', id).throwOnError();
}

/** PostgREST filter by document name, client or folder. The folders are few, so they are matched in the browser. */
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

/** Adds the display names of folder and client to a row. */
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
