// Keeps the lists that a client sees, shows them without a network, and deletes them when the session ends.
import type { Query } from '@tanstack/react-query';

import { session, type User } from '~/features/auth/session';
import { type ClientChoice, clientChoiceQuery } from '~/features/members/client-choice';
import { getImpersonation } from '~/lib/api/impersonation';
import { queryClient } from '~/lib/api/query-client';
import { serverStatus } from '~/lib/api/server-status';
import { markListsRestored } from '~/lib/lists-restored';

import { addLists, deleteLists, readLists, type StoredList } from './api/list-store';
import { isStoredQuery, storedCopy } from './stored-copy';

/** Time between a change and its storage, in milliseconds. Several queries of a page are stored at once. */
const DELAY_MS = 1_000;

/** The person whose lists are kept, null while none are. */
let person: string | null = null;
/** The kept lists, by the hash of their query. */
let kept: Record<string, StoredList> = {};
/** The client whose lists `kept` holds. */
let keptClient: string | undefined;
const changed = new Set<Query>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Starts once for each load of the page, after its first render. */
export function followLists(): void {
  queryClient.getQueryCache().subscribe((event) => {
    if (person === null || !isStoredQuery(event.query.queryKey)) return;
    if (event.type === 'added') queueMicrotask(() => restore(event.query));
    else if (event.type === 'updated' && event.action.type === 'success') keepLater(event.query);
  });
  serverStatus.subscribe(restoreAll);
  session.subscribe(() => void followPerson().catch(() => {}));
  // Without IndexedDB, as in some private windows, nothing is kept.
  void followPerson()
    .catch(() => {})
    .finally(markListsRestored);
}

/** Reads the lists of the person who is signed in, and deletes those of any other. */
async function followPerson(): Promise<void> {
  const { loading, user } = session.get();
  const next = user && isKeptFor(user) ? user.id : null;
  if (loading || (next !== null && next === person)) return;
  person = null;
  kept = {};
  changed.clear();
  if (next === null) return deleteLists();
  const stored = await readLists(next);
  // The session may have changed meanwhile.
  if (session.get().user?.id !== next) return;
  person = next;
  kept = stored?.lists ?? {};
  keptClient = stored?.client;
  restoreAll();
  for (const query of queryClient.getQueryCache().getAll()) {
    if (query.state.data !== undefined && isStoredQuery(query.queryKey)) keepLater(query);
  }
}

/** Only the clients' area keeps lists, and a tab in which staff look at it does not. */
function isKeptFor({ isAdmin, pendingStep }: User): boolean {
  return !isAdmin && pendingStep === null && getImpersonation() === null;
}

function restoreAll(): void {
  queryClient.getQueryCache().getAll().forEach(restore);
}

/** Gives a query without data the kept list, unless the server can answer. */
function restore(query: Query): void {
  if (person === null || query.state.data !== undefined || serverStatus.get() === 'up') return;
  const list = kept[query.queryHash];
  if (list) queryClient.setQueryData(query.queryKey, list.data, { updatedAt: list.at });
}

function keepLater(query: Query): void {
  changed.add(query);
  timer ??= setTimeout(() => {
    timer = undefined;
    void keep().catch(() => {});
  }, DELAY_MS);
}

async function keep(): Promise<void> {
  const client = activeClient();
  // The clients of the person are read after the page. Until then nothing is stored.
  if (person === null || client === undefined) return;
  const lists: Record<string, StoredList> = {};
  for (const { queryHash, queryKey, state } of changed) {
    const data = storedCopy(queryKey, state.data);
    if (data !== undefined) lists[queryHash] = { data, at: state.dataUpdatedAt };
  }
  changed.clear();
  kept = { ...(client === keptClient && kept), ...lists };
  keptClient = client;
  await addLists({ person, client }, lists);
}

/** Id of the client for whom the session acts, if it is known. */
function activeClient(): string | undefined {
  const choices = queryClient.getQueryData<ClientChoice[]>(clientChoiceQuery().queryKey);
  return choices?.find(({ is_active: isActive }) => isActive)?.id;
}
