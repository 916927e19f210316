// The office's clients: read from their view, changed through the account administration.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { composed } from '~/lib/composed';
import { containing, nextOffset, PAGE_SIZE, quoted } from '~/lib/paging';
import { queryClient } from '~/lib/query';
import { containingLoosely, foundIn } from '~/lib/search';
import { server } from '~/lib/supabase';
import type { ClientRow } from '~/lib/tables';

export type Client = { id: string; email: string; fullName: string | null };
export type ListedClient = Client & { created_at: string };

export const clientKeys = { all: ['clients'] as const };

export const NAME = 'user_metadata->>full_name';
/** How many clients a search by words gives; whoever looks for one of more types on. */
export const FOUND_CLIENTS = 100;

const listFailure = { title: 'Erro ao buscar clientes' };

/** Clients by name or e-mail, newest first, a page at a time. */
export function clientsQuery(search: string) {
  const term = search.trim();
  return infiniteQueryOptions({
    queryKey: [...clientKeys.all, 'list', term],
    async queryFn({ pageParam, signal }): Promise<ListedClient[]> {
      let query = server().rest.from('clients').select('id,email,created_at,user_metadata');
      if (term !== '') {
        const named = await queryClient.fetchQuery(foundClientsQuery(term));
        query = query.or(`${matches(term)},id.in.(${named.map(({ id }) => id).join()})`);
      }
      const { data } = await query
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data.map((row) => ({ ...clientOf(row), created_at: row.created_at }));
    },
    initialPageParam: 0,
    getNextPageParam: nextOffset,
    placeholderData: keepPreviousData,
    meta: { failure: listFailure },
  });
}

/**
 * The first clients whose name or e-mail contains the words, accents aside, by name. Two questions: what was typed
 * to the letter is found whatever else looks like it.
 */
export function foundClientsQuery(search: string) {
  const term = search.trim();
  return queryOptions({
    queryKey: [...clientKeys.all, 'found', term],
    async queryFn({ signal }): Promise<Client[]> {
      const first = () =>
        server()
          .rest.from('clients')
          .select('id,email,user_metadata')
          .order(NAME)
          .limit(FOUND_CLIENTS)
          .abortSignal(signal);
      if (term === '') return byName((await first().throwOnError()).data);
      const [literal, alike] = await Promise.all([
        first().or(matches(term)).throwOnError(),
        first().ilike(NAME, containingLoosely(term)).throwOnError(),
      ]);
      const named = alike.data.filter((row) => foundIn(nameIn(row) ?? '', term));
      return byName([...new Map([...literal.data, ...named].map((row) => [row.id, row])).values()]);
    },
    placeholderData: keepPreviousData,
    meta: { failure: listFailure },
  });
}

export function clientCountQuery() {
  return queryOptions({
    queryKey: [...clientKeys.all, 'count'],
    async queryFn({ signal }): Promise<number> {
      const { count } = await server()
        .rest.from('clients')
        .select('*', { count: 'exact', head: true })
        .abortSignal(signal)
        .throwOnError();
      return count ?? 0;
    },
    meta: { failure: listFailure },
  });
}

/** One client, as the form shows them. */
export function clientQuery(id: string) {
  return queryOptions({
    queryKey: [...clientKeys.all, 'one', id],
    async queryFn({ signal }): Promise<Client> {
      const { data } = await server()
        .rest.from('clients')
        .select('email,user_metadata')
        .eq('id', id)
        .abortSignal(signal)
        .single()
        .throwOnError();
      return clientOf({ id, ...data });
    },
    meta: { failure: { title: 'Erro ao carregar cliente' } },
  });
}

/** How much goes when a client goes. */
export function clientHoldingsQuery(id: string) {
  return queryOptions({
    queryKey: ['client-holdings', id],
    async queryFn({ signal }): Promise<{ documents: number; tickets: number }> {
      const { data } = await server()
        .rest.from('clients')
        .select('documents(count),tickets(count)')
        .eq('id', id)
        .abortSignal(signal)
        .single()
        .throwOnError();
      return { documents: data.documents[0]?.count ?? 0, tickets: data.tickets[0]?.count ?? 0 };
    },
    // Counted anew each time somebody is about to delete.
    gcTime: 0,
  });
}

export async function createClient(client: {
  email: string;
  full_name: string;
  password: string;
}): Promise<void> {
  const { error } = await server().admin.createUser({
    email: client.email,
    password: composed(client.password),
    email_confirm: true,
    user_metadata: { full_name: client.full_name },
  });
  if (error) throw error;
}

/** An empty password leaves the old one as it is. */
export async function updateClient(client: {
  id: string;
  full_name: string;
  password: string;
}): Promise<void> {
  const { error } = await server().admin.updateUserById(client.id, {
    user_metadata: { full_name: client.full_name },
    ...(client.password !== '' && { password: composed(client.password) }),
  });
  if (error) throw error;
}

/** Ends the client's access at once; their documents, files and tickets go with it, on the server. */
export async function deleteClient({ id }: Client): Promise<void> {
  const { error } = await server().admin.deleteUser(id);
  if (error) throw error;
}

function matches(term: string): string {
  const pattern = quoted(containing(term));
  return `email.ilike.${pattern},${NAME}.ilike.${pattern}`;
}

type NamedRow = Pick<ClientRow, 'id' | 'email' | 'user_metadata'>;

function byName(rows: NamedRow[]): Client[] {
  return rows
    .map(clientOf)
    .toSorted((a, b) => (a.fullName ?? a.email).localeCompare(b.fullName ?? b.email, 'pt-BR'));
}

export function clientOf(row: NamedRow): Client {
  return { id: row.id, email: row.email, fullName: nameIn(row) };
}

/** The name in the free-form metadata, which need not hold one. */
export function nameIn({ user_metadata }: Pick<ClientRow, 'user_metadata'>): string | null {
  const name: unknown = user_metadata.full_name;
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : null;
}
