// Document lists for staff: documents of all clients.
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';

import { clientSearchFilter } from '~/features/clients/api/clients';
import { getFullName } from '~/features/clients/api/full-name';
import type { DueRange } from '~/features/documents/due-ranges';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { staffName } from '~/features/staff/api';
import { batches, type PageRequest } from '~/lib/api/batches';
import type { ClientRow, DocumentRow, FolderKind, StaffRow } from '~/lib/api/database';
import { getErrorInfo } from '~/lib/api/errors';
import { getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { ilikePattern, quoteFilterValue } from '~/lib/api/postgrest-filters';
import { queryClient } from '~/lib/api/query-client';
import type { Day } from '~/lib/dates';
import { foldAccents, matchesSearch } from '~/lib/text-search';

import type { ApprovalOutcome } from './approvals';
import { type DueFilterable, WAITING, whereDue, whereUnopened } from './document-conditions';
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
/** Whether the client has seen a document. `hidden`: the client cannot see it. */
export type OpeningState = 'opened' | 'unopened' | 'delivered' | 'hidden';

export type AdminDocumentListItem = AdminDocumentSummary & {
  uploaded_at: string | null;
  expires_at: string | null;
  status: string;
  amount_cents: number | null;
  opening: OpeningState;
  /** The kind of the document, or of its folder. */
  kind: FolderKind | null;
  /** The name of the responsible member of staff. */
  responsible: string | null;
  /** Whether a client pays it, and the day on which the client reported the payment. */
  payment: { paidOn: Day | null } | null;
};

export type DocumentSortKey =
  | 'search_name'
  | 'clients(search_name)'
  | 'folders(name)'
  | 'uploaded_at'
  | 'expires_at'
  | 'status';
export type DocumentSort = { by: DocumentSortKey; ascending: boolean };

/** Documents that ask for an answer: those that wait for it, or those with an outcome. */
export type ApprovalFilter = 'waiting' | ApprovalOutcome;
/** Documents that clients pay: those without a reported payment, or those with one. */
export type PaymentFilter = 'unpaid' | 'paid';

export type DocumentFilters = {
  search: string;
  opening: 'opened' | 'unopened' | null;
  due: DueRange | null;
  /** Id of a folder, or empty. */
  folder: string;
  kind: FolderKind | null;
  status: 'active' | 'pending' | 'inactive' | null;
  payment: PaymentFilter | null;
  approval: ApprovalFilter | null;
};

export const NEWEST_FIRST: DocumentSort = { by: 'uploaded_at', ascending: false };

/** Maximum number of documents in one request. */
const BATCH_SIZE = 100;
const HAS_PAYMENT_DATA = 'amount_cents.not.is.null,payment_line.not.is.null,pix_code.not.is.null';
// The empty embeds serve filters.
const LIST_COLUMNS = `id,name,type,file_url,uploaded_at,expires_at,status,amount_cents,payment_line,pix_code,kind,was_opened,client_id,folders(name,kind),clients(email,user_metadata),staff(email,user_metadata),document_payments(paid_on),receipts:document_receipts(id),deliveries:document_contacts(id),found:clients(),paid:document_payments(),seen:document_receipts(),kindly:folders(),${WAITING}`;

type DocumentFilterable = DueFilterable & {
  or: (filters: string, options?: { referencedTable: string }) => unknown;
  limit: (count: number, options: { referencedTable: string }) => unknown;
};

async function whereFiltered<Query extends DocumentFilterable>(
  query: Query,
  { search, opening, due, folder, kind, status, payment, approval }: DocumentFilters,
): Promise<{ query: Query }> {
  query.limit(1, { referencedTable: 'receipts' });
  query.eq('deliveries.kind', 'delivery');
  query.limit(1, { referencedTable: 'deliveries' });
  if (opening === 'unopened') whereUnopened(query);
  if (opening === 'opened') query.or('was_opened.eq.true,seen.not.is.null');
  if (due !== null) whereDue(query, due);
  // A withdrawn document is not to be paid.
  if (due !== null || payment === 'unpaid') query.is('withdrawn_at', null);
  if (folder !== '') query.eq('folder_id_supabase', folder);
  if (kind !== null) {
    query.eq('kindly.kind', kind);
    query.or(`kind.eq.${kind},and(kind.is.null,kindly.not.is.null)`);
  }
  if (status === 'inactive') query.not('status', 'in', '(active,pending)');
  else if (status !== null) query.eq('status', status);
  if (payment === 'unpaid') {
    query.or(HAS_PAYMENT_DATA);
    query.is('paid', null);
  }
  if (payment === 'paid') query.not('paid', 'is', null);
  if (approval !== null) {
    query.not('approval_request', 'is', null);
    if (approval === 'waiting') query.is('approval_outcome', null);
    else query.eq('approval_outcome', approval);
  }
  if (search !== '') {
    query.or(clientSearchFilter(search), { referencedTable: 'found' });
    query.or(await documentSearchFilter(search));
  }
  // In an object: a query is a thenable, which a promise would await.
  return { query };
}

/** Documents that match the filters, from an offset on. */
export async function fetchAdminDocuments(
  filters: DocumentFilters,
  { by, ascending }: DocumentSort,
  { offset, limit, signal }: PageRequest,
): Promise<AdminDocumentListItem[]> {
  const { query } = await whereFiltered(db().from('documents').select(LIST_COLUMNS), filters);
  const { data } = await query
    .order(by, { ascending, nullsFirst: false })
    .order('id', { ascending })
    .range(offset, offset + limit - 1)
    .abortSignal(signal)
    .overrideTypes<SelectedDocument[], { merge: false }>()
    .throwOnError();
  return data.map(toListItem);
}

/** Documents that match a name, a client or a folder, and the filters, paginated. */
export function adminDocumentsQuery(filters: DocumentFilters, sort: DocumentSort) {
  const trimmed = { ...filters, search: filters.search.trim() };
  return infiniteQueryOptions({
    queryKey: [...documentKeys.all, 'admin', trimmed, sort],
    queryFn: ({ pageParam, signal }) =>
      fetchAdminDocuments(trimmed, sort, { offset: pageParam, limit: PAGE_SIZE, signal }),
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    placeholderData: keepPreviousData,
    meta: { errorToast: { title: 'Erro ao buscar documentos' } },
  });
}

/** Moves a document to the trash. */
export async function deleteDocument({ id }: { id: string }): Promise<void> {
  await db().from('documents').delete().eq('id', id).throwOnError();
}

/**
 * Moves documents to the trash, and returns the ids of those that moved. The server refuses a request that contains a
 * document under legal hold; then its documents are deleted one by one.
 */
export async function deleteDocuments(
  ids: readonly string[],
): Promise<{ deleted: readonly string[]; held: number }> {
  const result = { deleted: [] as string[], held: 0 };
  const remove = async (part: readonly string[]): Promise<void> => {
    const { error } = await db().from('documents').delete().in('id', part);
    if (!error) result.deleted.push(...part);
    else if (getErrorInfo(error).code !== 'document_held') throw error;
    else if (part.length === 1) result.held += 1;
    else for (const id of part) await remove([id]);
  };
  for (const part of batches(ids, BATCH_SIZE)) await remove(part);
  return result;
}

/** Moves documents to a folder. Returns their number. */
export async function moveDocuments({
  ids,
  folder,
}: {
  ids: readonly string[];
  folder: string;
}): Promise<number> {
  let moved = 0;
  for (const part of batches(ids, BATCH_SIZE)) {
    const { data } = await db()
      .from('documents')
      .update({ folder_id_supabase: folder })
      .in('id', part)
      .select('id')
      .throwOnError();
    moved += data.length;
  }
  return moved;
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

type SelectedDocument = Pick<
  DocumentRow,
  | 'id'
  | 'name'
  | 'type'
  | 'file_url'
  | 'uploaded_at'
  | 'expires_at'
  | 'status'
  | 'amount_cents'
  | 'payment_line'
  | 'pix_code'
  | 'kind'
  | 'was_opened'
  | 'client_id'
> & {
  folders: { name: string; kind: FolderKind | null } | null;
  clients: Pick<ClientRow, 'email' | 'user_metadata'> | null;
  staff: Pick<StaffRow, 'email' | 'user_metadata'> | null;
  document_payments: { paid_on: Day }[];
  receipts: { id: string }[];
  deliveries: { id: string }[];
};

function toListItem(row: SelectedDocument): AdminDocumentListItem {
  const { id, name, type, file_url, uploaded_at, expires_at, status, amount_cents } = row;
  const [paid] = row.document_payments;
  const isPayable = amount_cents !== null || row.payment_line !== null || row.pix_code !== null;
  return {
    ...withDisplayNames({
      id,
      name,
      type,
      file_url,
      uploaded_at,
      expires_at,
      status,
      amount_cents,
      folders: row.folders,
      clients: row.clients,
    }),
    opening: openingOf(row),
    kind: row.kind ?? row.folders?.kind ?? null,
    responsible: row.staff && staffName(row.staff),
    payment: paid || isPayable ? { paidOn: paid?.paid_on ?? null } : null,
  };
}

function openingOf({ status, client_id, was_opened, receipts, deliveries }: SelectedDocument): OpeningState {
  if (was_opened || receipts.length > 0) return 'opened';
  if (deliveries.length > 0) return 'delivered';
  return status === 'active' && client_id !== null ? 'unopened' : 'hidden';
}
