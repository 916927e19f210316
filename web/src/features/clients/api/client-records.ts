// Queries of the records of one client, for the client page of the back office.
import { infiniteQueryOptions } from '@tanstack/react-query';

import { documentKeys } from '~/features/documents/api/documents';
import { ticketKeys } from '~/features/tickets/api/tickets';
import type { DocumentReceiptRow, TicketStatus } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';

import { clientKeys } from './clients';

export type ClientDocument = {
  id: string;
  name: string;
  type: string;
  file_url: string | null;
  status: string;
  uploaded_at: string | null;
  expires_at: string | null;
  folder: string | null;
};
export type ClientTicket = { id: string; subject: string; status: TicketStatus; created_at: string };
export type DocumentView = {
  id: string;
  action: DocumentReceiptRow['action'];
  created_at: string;
  document: { id: string; name: string } | null;
};

/** Page size of the lists on the client page, which shows three of them. */
const PAGE_SIZE = 10;

const paged = {
  initialPageParam: 0,
  getNextPageParam: (last: readonly unknown[], _: unknown, offset: number) =>
    last.length < PAGE_SIZE ? undefined : offset + PAGE_SIZE,
};

export function documentsOfClientQuery(clientId: string) {
  return infiniteQueryOptions({
    ...paged,
    queryKey: [...documentKeys.all, 'of-client', clientId],
    async queryFn({ pageParam, signal }): Promise<ClientDocument[]> {
      const { data } = await db()
        .from('documents')
        .select('id,name,type,file_url,status,uploaded_at,expires_at,folders(name)')
        .eq('client_id', clientId)
        .order('uploaded_at', { ascending: false, nullsFirst: false })
        .order('id', { ascending: false })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data.map(({ folders, ...document }) => ({ ...document, folder: folders?.name ?? null }));
    },
    meta: { errorToast: { title: 'Erro ao buscar documentos' } },
  });
}

export function ticketsOfClientQuery(clientId: string) {
  return infiniteQueryOptions({
    ...paged,
    queryKey: [...ticketKeys.all, 'of-client', clientId],
    async queryFn({ pageParam, signal }): Promise<ClientTicket[]> {
      const { data } = await db()
        .from('tickets')
        .select('id,subject,status,created_at')
        .eq('user_id', clientId)
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
    meta: { errorToast: { title: 'Erro ao buscar tickets' } },
  });
}

/** Document views of a client, newest first. */
export function clientDocumentViewsQuery(clientId: string) {
  return viewsQuery([...clientKeys.all, 'openings', clientId], 'client_id', clientId);
}

/** Views of a document by its client, newest first. */
export function documentViewsQuery(documentId: string) {
  return viewsQuery([...documentKeys.all, 'openings', documentId], 'document_id', documentId);
}

function viewsQuery(queryKey: readonly string[], column: 'client_id' | 'document_id', id: string) {
  return infiniteQueryOptions({
    ...paged,
    queryKey,
    async queryFn({ pageParam, signal }): Promise<DocumentView[]> {
      const { data } = await db()
        .from('document_receipts')
        .select('id,action,created_at,documents(id,name)')
        .eq(column, id)
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data.map(({ documents, ...opening }) => ({ ...opening, document: documents }));
    },
    meta: { errorToast: { title: 'Erro ao buscar aberturas' } },
  });
}
