// Documents that wait to be opened by their clients, and contacts of staff about them.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { type Client, toClient } from '~/features/clients/api/clients';
import { type DueRange } from '~/features/documents/due-ranges';
import { staffName, teamOf } from '~/features/staff/api';
import { departmentOf } from '~/features/staff/departments';
import { batches, type PageRequest } from '~/lib/api/batches';
import type { ClientRow, ContactKind, ReminderCounts, StaffRow } from '~/lib/api/database';
import { getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { remindInBatches } from '~/lib/api/reminders';

import { type DueFilterable, WAITING, whereDue, whereUnopened } from './document-conditions';
import { documentKeys } from './documents';

export type UnopenedFilters = {
  due: DueRange | null;
  folder: string;
  category: string;
  client: string;
  /** Id of a member of staff, a department (`departmentValue`), a word for none, or empty. */
  responsible: string;
};

export type UnopenedSortKey = 'search_name' | 'clients(search_name)' | 'expires_at' | 'folders(name)';
export type UnopenedSort = { by: UnopenedSortKey; ascending: boolean };

export const DUE_FIRST: UnopenedSort = { by: 'expires_at', ascending: true };

export type DocumentContact = { kind: ContactKind; created_at: string; author: string | null };

export type UnopenedDocument = {
  id: string;
  name: string;
  type: string;
  file_url: string | null;
  expires_at: string | null;
  published_at: string | null;
  folder: string | null;
  client: Client | null;
  responsible: string | null;
  /** The newest contact. */
  contact: DocumentContact | null;
};

/** Maximum number of documents in one request. */
const BATCH_SIZE = 500;

const COLUMNS = `id,name,type,file_url,expires_at,published_at,folders(name),clients(id,email,user_metadata),staff(email,user_metadata),contacts:document_contacts(kind,created_at,staff(email,user_metadata)),${WAITING}`;

export const unopenedKeys = { all: [...documentKeys.all, 'unopened'] as const };

const failure = { title: 'Erro ao buscar documentos não abertos' };

type TeamFilterable = { in: (column: string, values: readonly string[]) => unknown };

/** Adds the conditions of the filters. `team` are the people of the department. */
function whereFiltered<Query extends DueFilterable & TeamFilterable>(
  query: Query,
  filters: UnopenedFilters,
  team: readonly string[],
): Query {
  const { due, folder, category, client, responsible } = filters;
  whereUnopened(query);
  if (due !== null) whereDue(query, due);
  if (folder !== '') query.eq('folder_id_supabase', folder);
  if (category !== '') query.eq('category', category);
  if (client !== '') query.eq('client_id', client);
  if (responsible === 'nobody') query.is('responsible_id', null);
  else if (departmentOf(responsible) !== null) query.in('responsible_id', team);
  else if (responsible !== '') query.eq('responsible_id', responsible);
  return query;
}

/** Documents that wait to be opened and match the filters, from an offset on. */
export async function fetchUnopened(
  filters: UnopenedFilters,
  { by, ascending }: UnopenedSort,
  { offset, limit, signal }: PageRequest,
): Promise<UnopenedDocument[]> {
  const team = await teamOf(filters.responsible);
  const { data } = await whereFiltered(db().from('documents').select(COLUMNS), filters, team)
    .order(by, { ascending, nullsFirst: false })
    .order('id', { ascending })
    .order('created_at', { referencedTable: 'contacts', ascending: false })
    .limit(1, { referencedTable: 'contacts' })
    .range(offset, offset + limit - 1)
    .abortSignal(signal)
    .overrideTypes<SelectedDocument[], { merge: false }>()
    .throwOnError();
  return data.map(toUnopenedDocument);
}

/** Documents that wait to be opened, paginated. */
export function unopenedQuery(filters: UnopenedFilters, sort: UnopenedSort) {
  return infiniteQueryOptions({
    queryKey: [...unopenedKeys.all, 'list', filters, sort],
    queryFn: ({ pageParam, signal }) =>
      fetchUnopened(filters, sort, { offset: pageParam, limit: PAGE_SIZE, signal }),
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    placeholderData: keepPreviousData,
    meta: { errorToast: failure },
  });
}

/** Number of documents of each range of due dates, under the other filters. */
export function unopenedCountsQuery(filters: UnopenedFilters) {
  return queryOptions({
    queryKey: [...unopenedKeys.all, 'counts', { ...filters, due: null }],
    async queryFn({ signal }): Promise<Record<DueRange, number>> {
      const team = await teamOf(filters.responsible);
      const count = async (due: DueRange) => {
        const query = db().from('documents').select(`id,${WAITING}`, { count: 'exact', head: true });
        const found = await whereFiltered(query, { ...filters, due }, team)
          .abortSignal(signal)
          .throwOnError();
        return found.count ?? 0;
      };
      const [overdue, dueToday, week, later, none] = await Promise.all([
        count('overdue'),
        count('today'),
        count('week'),
        count('later'),
        count('none'),
      ]);
      return { overdue, today: dueToday, week, later, none };
    },
    placeholderData: keepPreviousData,
    meta: { errorToast: failure },
  });
}

/** The categories of the documents that wait to be opened. */
export function unopenedCategoriesQuery() {
  return queryOptions({
    queryKey: [...unopenedKeys.all, 'categories'],
    async queryFn({ signal }): Promise<string[]> {
      const { data } = await whereUnopened(db().from('documents').select(`category,count(),${WAITING}`))
        .not('category', 'is', null)
        .order('category')
        .abortSignal(signal)
        .overrideTypes<{ category: string }[], { merge: false }>()
        .throwOnError();
      return data.map(({ category }) => category);
    },
    meta: { errorToast: failure },
  });
}

/** Mails reminders. The server sends one per document and day. */
export async function remindDocuments(ids: readonly string[]): Promise<ReminderCounts> {
  return await remindInBatches(ids, async (documents) => {
    const { data } = await db().rpc('remind_documents', { documents }).throwOnError();
    return data;
  });
}

/** Records that documents were delivered by other means. They leave the list. */
export async function markDelivered({ ids, note }: { ids: readonly string[]; note: string }): Promise<void> {
  for (const documents of batches(ids, BATCH_SIZE)) {
    const rows = documents.map((document_id) => ({ document_id, kind: 'delivery' as const, note }));
    await db().from('document_contacts').insert(rows).throwOnError();
  }
}

/** Records a message in WhatsApp. */
export async function recordWhatsApp(documentId: string): Promise<void> {
  await db().from('document_contacts').insert({ document_id: documentId, kind: 'whatsapp' }).throwOnError();
}

type Person<Row extends { email: string; user_metadata: unknown }> = Pick<Row, 'email' | 'user_metadata'>;

type SelectedDocument = Omit<UnopenedDocument, 'folder' | 'client' | 'responsible' | 'contact'> & {
  folders: { name: string } | null;
  clients: Pick<ClientRow, 'id' | 'email' | 'user_metadata'> | null;
  staff: Person<StaffRow> | null;
  contacts: { kind: ContactKind; created_at: string; staff: Person<StaffRow> | null }[];
};

function toUnopenedDocument(row: SelectedDocument): UnopenedDocument {
  const { id, name, type, file_url, expires_at, published_at } = row;
  const [contact] = row.contacts;
  return {
    id,
    name,
    type,
    file_url,
    expires_at,
    published_at,
    folder: row.folders?.name ?? null,
    client: row.clients && toClient(row.clients),
    responsible: row.staff && staffName(row.staff),
    contact: contact
      ? {
          kind: contact.kind,
          created_at: contact.created_at,
          author: contact.staff && staffName(contact.staff),
        }
      : null,
  };
}
