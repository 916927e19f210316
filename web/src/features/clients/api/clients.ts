// Queries of the clients, read from the client view.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { session } from '~/features/auth/session';
import { type Filterable, WAITING, whereUnopened } from '~/features/documents/api/document-conditions';
import { teamOf } from '~/features/staff/api';
import { departmentOf } from '~/features/staff/departments';
import type { PageRequest } from '~/lib/api/batches';
import type { ClientRow } from '~/lib/api/database';
import { getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { ilikePattern, quoteFilterValue } from '~/lib/api/postgrest-filters';
import { parsePhone, type Phone } from '~/lib/phone';
import { formatTaxId, parseTaxId, type TaxId } from '~/lib/tax-id';
import { foldAccents } from '~/lib/text-search';

import { getFullName } from './full-name';

export type Client = {
  id: string;
  email: string;
  fullName: string | null;
  taxId: TaxId | null;
  phone: Phone | null;
};
type ClientAccount = Client & {
  created_at: string;
  last_sign_in_at: string | null;
  /** When the client was invited; null once the invitation is accepted or withdrawn. */
  invitedAt: string | null;
};
/** A client with the metadata as stored, which an update names as its precondition. */
export type ClientRecord = ClientAccount & { metadata: ClientRow['user_metadata'] };
/** A client with the numbers of what waits: documents for the client, tickets for anyone. */
export type ClientListItem = ClientAccount & {
  unopened: number;
  openTickets: number;
  /** Name of the member of the staff who is responsible for the client. */
  responsible: string | null;
};
export type ClientSortKey =
  | 'search_name'
  | 'email'
  | 'created_at'
  | 'last_sign_in_at'
  | 'user_metadata->>tax_id';
export type ClientSort = { by: ClientSortKey; ascending: boolean };
export type ClientFilters = {
  search: string;
  /** Only clients who have never signed in. */
  neverSignedIn: boolean;
  /** Only clients with documents that wait to be opened. */
  withUnopened: boolean;
  /** Only clients with tickets that are not closed. */
  withTickets: boolean;
  /** Only clients who are assigned to the reader. */
  mine: boolean;
  /** Only clients of a member of the staff (id), of a department (`departmentValue`), or of `NO_TEAM`; empty for all. */
  team: string;
};

/** The team of clients who are assigned to no member of the staff. */
export const NO_TEAM = 'ninguem';

export const clientKeys = { all: ['clients'] as const };
/** Query keys to invalidate after a client is deleted: all except the client itself. */
export const clientListKeys = ['list', 'found', 'count'].map((kind) => [...clientKeys.all, kind]);

/** Maximum number of results of a client search. */
export const SEARCH_LIMIT = 100;
/** Maximum number of filter values in one URL. */
const BATCH_SIZE = 100;
/** Maximum number of parts of a name that are searched for separately. */
const MAX_PARTS = 5;
/** Punctuation of CPF, CNPJ and phone numbers. */
const NUMBER_PUNCTUATION = /[\s()./+-]/g;
/** A part of a CPF, a CNPJ, whose letters are few, or a phone number. Shorter parts are in most numbers. */
const NUMBER_PART = /^(?=(?:.*\d){3})[\dA-Z]{3,15}$/;
/** Number of clients per request when all are read. */
const ALL_PAGE = 1000;

const ACCOUNT_COLUMNS = 'id,email,created_at,last_sign_in_at,user_metadata,invited_at';
const LIST_COLUMNS = `${ACCOUNT_COLUMNS},unopened:documents(count,${WAITING}),tickets(count),responsible:client_assignments(staff(email,user_metadata)),mine:client_assignments(id),team:client_assignments(id)`;

const listFailure = { title: 'Erro ao buscar clientes' };

export const NEWEST_FIRST: ClientSort = { by: 'created_at', ascending: false };

type ClientFilterable = Filterable & {
  in: (column: string, values: readonly string[]) => unknown;
  neq: (column: string, value: string) => unknown;
  or: (filters: string) => unknown;
};

/**
 * Adds the conditions of the filters, and those of the numbers in `LIST_COLUMNS`. `department` are the people of the
 * filter's department.
 */
function whereFiltered<Query extends ClientFilterable>(
  query: Query,
  { search, neverSignedIn, withUnopened, withTickets, mine, team }: ClientFilters,
  department: readonly string[],
): Query {
  whereUnopened(query, 'unopened');
  query.neq('tickets.status', 'closed');
  query.eq('responsible.is_responsible', true);
  query.eq('mine.staff_id', session.get().user?.id ?? '');
  if (search !== '') query.or(clientOrNumberFilter(search));
  if (neverSignedIn) query.is('last_sign_in_at', null);
  if (withUnopened) query.not('unopened', 'is', null);
  if (withTickets) query.not('tickets', 'is', null);
  if (mine) query.not('mine', 'is', null);
  if (team === NO_TEAM) query.is('team', null);
  else if (team !== '') {
    query.in('team.staff_id', departmentOf(team) === null ? [team] : department);
    query.not('team', 'is', null);
  }
  return query;
}

/** Clients that match the filters, from an offset on. */
export async function fetchClients(
  filters: ClientFilters,
  { by, ascending }: ClientSort,
  { offset, limit, signal }: PageRequest,
): Promise<ClientListItem[]> {
  const department = await teamOf(filters.team);
  const { data } = await whereFiltered(db().from('clients').select(LIST_COLUMNS), filters, department)
    .order(by, { ascending, nullsFirst: false })
    .order('id', { ascending })
    .range(offset, offset + limit - 1)
    .abortSignal(signal)
    .overrideTypes<SelectedClient[], { merge: false }>()
    .throwOnError();
  return data.map(({ unopened, tickets, responsible: [responsible], ...account }) => ({
    ...toClientAccount(account),
    unopened: unopened[0]?.count ?? 0,
    openTickets: tickets[0]?.count ?? 0,
    responsible: responsible?.staff ? (getFullName(responsible.staff) ?? responsible.staff.email) : null,
  }));
}

/** Clients that match the filters, paginated. */
export function clientsQuery(filters: ClientFilters, sort: ClientSort) {
  const trimmed = { ...filters, search: filters.search.trim() };
  return infiniteQueryOptions({
    queryKey: [...clientKeys.all, 'list', trimmed, sort],
    queryFn: ({ pageParam, signal }) =>
      fetchClients(trimmed, sort, { offset: pageParam, limit: PAGE_SIZE, signal }),
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    placeholderData: keepPreviousData,
    meta: { errorToast: listFailure },
  });
}

/** First clients whose name, e-mail address or number contains the term, ordered by name. Accents are ignored. */
export function searchClientsQuery(search: string) {
  const term = search.trim();
  return queryOptions({
    queryKey: [...clientKeys.all, 'found', term],
    async queryFn({ signal }): Promise<Client[]> {
      let query = db().from('clients').select('id,email,user_metadata');
      if (term !== '') query = query.or(clientOrNumberFilter(term));
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
        .select(ACCOUNT_COLUMNS)
        .eq('id', id)
        .abortSignal(signal)
        .single()
        .throwOnError();
      return { ...toClientAccount(data), metadata: data.user_metadata };
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

/** All clients, oldest first, in keyset-paginated batches. */
export async function* iterateClients(signal: AbortSignal): AsyncGenerator<Client[]> {
  for (let last = ''; ;) {
    let query = db().from('clients').select('id,email,user_metadata');
    if (last !== '') query = query.gt('id', last);
    const { data } = await query.order('id').limit(ALL_PAGE).abortSignal(signal).throwOnError();
    yield data.map(toClient);
    if (data.length < ALL_PAGE) return;
    last = data.at(-1)?.id ?? '';
  }
}

/** `documents` include withdrawn ones. `inboxFiles` are those of the inbox that are not published yet. */
export type ClientRecordCounts = {
  documents: number;
  trashed: number;
  tickets: number;
  inboxFiles: number;
};

/** Number of records that are deleted along with a client. */
export function clientRecordCountsQuery(id: string) {
  return queryOptions({
    queryKey: ['client-holdings', id],
    async queryFn({ signal }): Promise<ClientRecordCounts> {
      const [{ data }, withdrawn] = await Promise.all([
        db()
          .from('clients')
          .select('documents(count),tickets(count),inbox_files(count),deleted_documents(count)')
          .eq('id', id)
          .neq('inbox_files.review_group', 'published')
          .abortSignal(signal)
          .single()
          .throwOnError(),
        db()
          .from('documents')
          .select('id', { count: 'exact', head: true })
          .eq('withdrawn_client_id', id)
          .abortSignal(signal)
          .throwOnError(),
      ]);
      return {
        documents: (data.documents[0]?.count ?? 0) + (withdrawn.count ?? 0),
        trashed: data.deleted_documents[0]?.count ?? 0,
        tickets: data.tickets[0]?.count ?? 0,
        inboxFiles: data.inbox_files[0]?.count ?? 0,
      };
    },
    // The deletion dialog must not show cached counts.
    gcTime: 0,
  });
}

/** PostgREST filter for clients whose name, e-mail address, CPF or CNPJ, or phone number contains the term. */
export function clientOrNumberFilter(term: string): string {
  const characters = term.replaceAll(NUMBER_PUNCTUATION, '').toUpperCase();
  if (!NUMBER_PART.test(characters)) return clientSearchFilter(term);
  const filters = [clientSearchFilter(term), metadataFilter('tax_id', characters)];
  const taxId = parseTaxId(characters);
  // A program may have stored a number with punctuation.
  if (taxId !== null) filters.push(`user_metadata->>tax_id.eq.${quoteFilterValue(formatTaxId(taxId))}`);
  // Phone numbers are stored without the zero before the area code.
  if (/^\d+$/.test(characters)) filters.push(metadataFilter('phone', characters.replace(/^0/, '')));
  return filters.join(',');
}

function metadataFilter(key: 'tax_id' | 'phone', part: string): string {
  return `user_metadata->>${key}.ilike.${quoteFilterValue(ilikePattern(part))}`;
}

/**
 * PostgREST filter for clients whose name contains all words of the term, or whose e-mail address contains the term. The
 * words after the fourth are searched as one part.
 */
export function clientSearchFilter(term: string): string {
  const words = foldAccents(term).trim().split(/\s+/);
  const parts =
    words.length > MAX_PARTS
      ? [...words.slice(0, MAX_PARTS - 1), words.slice(MAX_PARTS - 1).join(' ')]
      : words;
  const names = parts.map((part) => `search_name.ilike.${quoteFilterValue(ilikePattern(part))}`);
  const inName = names.length === 1 ? names.join() : `and(${names.join()})`;
  return `email.ilike.${quoteFilterValue(ilikePattern(term))},${inName}`;
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

type SelectedAccount = Omit<ClientRow, 'search_name' | 'last_visit_at'>;
type SelectedClient = SelectedAccount & {
  unopened: { count: number }[];
  tickets: { count: number }[];
  responsible: { staff: Pick<ClientRow, 'email' | 'user_metadata'> | null }[];
};

function toClientAccount(row: SelectedAccount): ClientAccount {
  const { created_at, last_sign_in_at, invited_at: invitedAt } = row;
  return { ...toClient(row), created_at, last_sign_in_at, invitedAt };
}
