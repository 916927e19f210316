// Queries of the clients, read from the client view.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import type { ClientRow } from '~/lib/api/database';
import { getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { ilikePattern, quoteFilterValue } from '~/lib/api/postgrest-filters';
import { parsePhone, type Phone } from '~/lib/phone';
import { formatTaxId, parseTaxId, type TaxId } from '~/lib/tax-id';
import { foldAccents } from '~/lib/text-search';

export type Client = {
  id: string;
  email: string;
  fullName: string | null;
  taxId: TaxId | null;
  phone: Phone | null;
};
export type ClientListItem = Client & {
  created_at: string;
  last_sign_in_at: string | null;
  /** When the client was invited; null once the invitation is accepted or withdrawn. */
  invitedAt: string | null;
};
/** A client with the metadata as stored, which an update names as its precondition. */
export type ClientRecord = ClientListItem & { metadata: ClientRow['user_metadata'] };
export type ClientSort = { by: 'search_name' | 'email' | 'created_at'; ascending: boolean };

export const clientKeys = { all: ['clients'] as const };
/** Query keys to invalidate after a client is deleted: all except the client itself. */
export const clientListKeys = ['list', 'found', 'count'].map((kind) => [...clientKeys.all, kind]);

/** Maximum number of results of a client search. */
export const SEARCH_LIMIT = 100;
/** Maximum number of filter values in one URL. */
const BATCH_SIZE = 100;
const EXPORT_PAGE = 1000;

const LIST_COLUMNS = 'id,email,created_at,last_sign_in_at,user_metadata,invited_at';

const listFailure = { title: 'Erro ao buscar clientes' };

export const NEWEST_FIRST: ClientSort = { by: 'created_at', ascending: false };

/** Clients that match a name or an e-mail address, paginated. */
export function clientsQuery(search: string, { by, ascending }: ClientSort) {
  const term = search.trim();
  return infiniteQueryOptions({
    queryKey: [...clientKeys.all, 'list', term, by, ascending],
    async queryFn({ pageParam, signal }): Promise<ClientListItem[]> {
      let query = db().from('clients').select(LIST_COLUMNS);
      if (term !== '') query = query.or(clientSearchFilter(term));
      const { data } = await query
        .order(by, { ascending })
        .order('id', { ascending })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data.map(toClientListItem);
    },
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    placeholderData: keepPreviousData,
    meta: { errorToast: listFailure },
  });
}

/** First clients whose name or e-mail address contains the term, ordered by name. Accents are ignored. */
export function searchClientsQuery(search: string) {
  const term = search.trim();
  return queryOptions({
    queryKey: [...clientKeys.all, 'found', term],
    async queryFn({ signal }): Promise<Client[]> {
      let query = db().from('clients').select('id,email,user_metadata');
      if (term !== '') query = query.or(clientSearchFilter(term));
      const { data } = await query
        .order('search_name')
        .order('email')
        .limit(SEARCH_LIMIT)
        .abortSignal(signal)
        .throwOnError();
      return data.map(toClient);
    },
    placeholderData: keepPreviousData,
    meta: { errorToast: listFailure },
  });
}

export function clientCountQuery() {
  return queryOptions({
    queryKey: [...clientKeys.all, 'count'],
    async queryFn({ signal }): Promise<number> {
      const { count } = await db()
        .from('clients')
        .select('*', { count: 'exact', head: true })
        .abortSignal(signal)
        .throwOnError();
      return count ?? 0;
    },
    meta: { errorToast: listFailure },
  });
}

export function clientQuery(id: string) {
  return queryOptions({
    queryKey: [...clientKeys.all, 'one', id],
    async queryFn({ signal }): Promise<ClientRecord> {
      const { data } = await db()
        .from('clients')
        .select(LIST_COLUMNS)
        .eq('id', id)
        .abortSignal(signal)
        .single()
        .throwOnError();
      return { ...toClientListItem(data), metadata: data.user_metadata };
    },
    meta: { errorToast: { title: 'Erro ao carregar cliente' } },
  });
}

/** Clients that have one of the given tax IDs (CPF or CNPJ). A program may have stored one with punctuation. */
export async function findClientsByTaxId(taxIds: readonly TaxId[]): Promise<Client[]> {
  const found: Client[] = [];
  const forms = taxIds.flatMap((taxId) => [taxId, formatTaxId(taxId)]);
  for (let at = 0; at < forms.length; at += BATCH_SIZE) {
    const { data } = await db()
      .from('clients')
      .select('id,email,user_metadata')
      .in('user_metadata->>tax_id', forms.slice(at, at + BATCH_SIZE))
      .throwOnError();
    found.push(...data.map(toClient));
  }
  return found;
}

/** Subset of the e-mail addresses that belong to existing clients. */
export async function findExistingEmails(emails: readonly string[]): Promise<Set<string>> {
  const taken = new Set<string>();
  for (let at = 0; at < emails.length; at += BATCH_SIZE) {
    const { data } = await db()
      .from('clients')
      .select('email')
      .in('email', emails.slice(at, at + BATCH_SIZE))
      .throwOnError();
    for (const { email } of data) taken.add(email);
  }
  return taken;
}

/** All clients that match the search, oldest first, in keyset-paginated batches. */
export async function* iterateClients(search: string, signal: AbortSignal): AsyncGenerator<ClientListItem[]> {
  const term = search.trim();
  for (let last = ''; ;) {
    let query = db().from('clients').select(LIST_COLUMNS);
    if (term !== '') query = query.or(clientSearchFilter(term));
    if (last !== '') query = query.gt('id', last);
    const { data } = await query.order('id').limit(EXPORT_PAGE).abortSignal(signal).throwOnError();
    yield data.map(toClientListItem);
    if (data.length < EXPORT_PAGE) return;
    last = data.at(-1)?.id ?? '';
  }
}

/** Number of records that are deleted along with a client. */
export function clientRecordCountsQuery(id: string) {
  return queryOptions({
    queryKey: ['client-holdings', id],
    async queryFn({ signal }): Promise<{ documents: number; tickets: number }> {
      const { data } = await db()
        .from('clients')
        .select('documents(count),tickets(count)')
        .eq('id', id)
        .abortSignal(signal)
        .single()
        .throwOnError();
      return { documents: data.documents[0]?.count ?? 0, tickets: data.tickets[0]?.count ?? 0 };
    },
    // The deletion dialog must not show cached counts.
    gcTime: 0,
  });
}

/** PostgREST filter for clients whose name or e-mail address contains the term. */
export function clientSearchFilter(term: string): string {
  return `email.ilike.${quoteFilterValue(ilikePattern(term))},search_name.ilike.${quoteFilterValue(ilikePattern(foldAccents(term)))}`;
}

export function toClient(row: Pick<ClientRow, 'id' | 'email' | 'user_metadata'>): Client {
  const { tax_id: taxId, phone }: { tax_id?: unknown; phone?: unknown } = row.user_metadata;
  return {
    id: row.id,
    email: row.email,
    fullName: getFullName(row),
    taxId: typeof taxId === 'string' ? parseTaxId(taxId) : null,
    phone: typeof phone === 'string' ? parsePhone(phone) : null,
  };
}

function toClientListItem(row: Omit<ClientRow, 'search_name' | 'last_visit_at'>): ClientListItem {
  const { created_at, last_sign_in_at, invited_at: invitedAt } = row;
  return { ...toClient(row), created_at, last_sign_in_at, invitedAt };
}

/** Name in the free-form metadata, null if absent. */
export function getFullName({ user_metadata }: Pick<ClientRow, 'user_metadata'>): string | null {
  const name: unknown = user_metadata.full_name;
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : null;
}
