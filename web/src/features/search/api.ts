// The search of the command palette: clients, documents and tickets at once.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { clientOrNumberFilter } from '~/features/clients/api/clients';
import { getFullName } from '~/features/clients/api/full-name';
import { db } from '~/lib/api/postgrest';
import { foldAccents, matchesWords } from '~/lib/text-search';

export type SearchHit = { id: string; name: string; hint: string };
export type SearchHits = { clients: SearchHit[]; documents: SearchHit[]; tickets: SearchHit[] };

/** Minimum length of a search text. */
export const MIN_LENGTH = 2;
/** Maximum number of hits of each kind. */
const LIMIT = 5;
/** Maximum number of words of a text search. */
const MAX_WORDS = 10;

const NO_HITS: SearchHits = { clients: [], documents: [], tickets: [] };

/** The first clients, documents and tickets that match. The policies of the tables apply, as to their lists. */
export function searchQuery(text: string) {
  const term = text.trim();
  return queryOptions({
    queryKey: ['search', term],
    async queryFn({ signal }): Promise<SearchHits> {
      if (term.length < MIN_LENGTH) return NO_HITS;
      const [clients, documents, tickets] = await Promise.all([
        findClients(term, signal),
        findDocuments(term, signal),
        findTickets(term, signal),
      ]);
      return { clients, documents, tickets };
    },
    placeholderData: keepPreviousData,
  });
}

async function findClients(term: string, signal: AbortSignal): Promise<SearchHit[]> {
  const { data } = await db()
    .from('clients')
    .select('id,email,user_metadata')
    .or(clientOrNumberFilter(term))
    .order('search_name')
    .order('id')
    .limit(LIMIT)
    .abortSignal(signal)
    .throwOnError();
  return data.map((row) => ({ id: row.id, name: getFullName(row) ?? row.email, hint: row.email }));
}

async function findDocuments(term: string, signal: AbortSignal): Promise<SearchHit[]> {
  const words = wordPrefixes(term);
  if (words === '') return [];
  const { data } = await db()
    .from('documents')
    .select('id,name,folders(name),clients(email,user_metadata)')
    .textSearch('name', words)
    .order('uploaded_at', { ascending: false, nullsFirst: false })
    .order('id', { ascending: false })
    .limit(LIMIT)
    .abortSignal(signal)
    .throwOnError();
  return data.map(({ id, name, folders, clients }) => ({
    id,
    name,
    hint: [clients && (getFullName(clients) ?? clients.email), folders?.name].filter(Boolean).join(' · '),
  }));
}

async function findTickets(term: string, signal: AbortSignal): Promise<SearchHit[]> {
  const words = wordPrefixes(term);
  if (words === '') return [];
  const { data } = await db()
    .from('tickets')
    .select('id,subject,clients(email,user_metadata)')
    .textSearch('subject', words)
    .order('updated_at', { ascending: false })
    .order('id', { ascending: false })
    .limit(LIMIT)
    .abortSignal(signal)
    .throwOnError();
  return data.map(({ id, subject, clients }) => ({
    id,
    name: subject,
    hint: clients ? (getFullName(clients) ?? clients.email) : '',
  }));
}

/** The hits of an earlier search that contain the words of another text as well. */
export function keepMatching(hits: SearchHits, text: string): SearchHits {
  const matches = ({ name, hint }: SearchHit) => matchesWords(name, text) || matchesWords(hint, text);
  return {
    clients: hits.clients.filter(matches),
    documents: hits.documents.filter(matches),
    tickets: hits.tickets.filter(matches),
  };
}

/** A text search for words that begin like those of the text. It uses the index of words, unlike `ilike`. */
export function wordPrefixes(text: string): string {
  const words = foldAccents(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .slice(0, MAX_WORDS)
    .map((word) => `${word}:*`)
    .join(' & ');
}
