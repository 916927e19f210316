// The kept lists in IndexedDB: one record, of one person and one client.
import { createStore, del, get, update, type UseStore } from 'idb-keyval';

import { readStoredSession } from '~/lib/api/supabase';

/** A session that is not used ends on the server after as many days. */
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
/** Maximum number of lists. */
const MAX_LISTS = 40;
/** Maximum size of all lists, as JSON, in characters. */
const MAX_CHARACTERS = 500_000;

const RECORD = 'lists';

/** A list, as it was read at a time in milliseconds. */
export type StoredList = { data: unknown; at: number };

/** The person who is signed in, and the client for whom the session acts. */
export type ListOwner = { person: string; client: string };

/** The lists by the hash of their query. */
type StoredLists = ListOwner & { version: string; lists: Record<string, StoredList> };

let opened: UseStore | undefined;

function store(): UseStore {
  opened ??= createStore('portaria-offline', 'lists');
  return opened;
}

/** The kept lists of a person. Lists of another person or another release, and old ones, are deleted. */
export async function readLists(person: string): Promise<StoredLists | undefined> {
  const stored = await get<StoredLists>(RECORD, store());
  if (!stored) return undefined;
  if (stored.person !== person || stored.version !== appVersion()) {
    await deleteLists();
    return undefined;
  }
  return { ...stored, lists: limit(stored.lists) };
}

/**
 * Adds lists to those of their owner, and replaces those of any other. The session is read within the transaction: a tab
 * that has not noticed the sign-out of another one stores nothing after it.
 */
export async function addLists(owner: ListOwner, lists: Readonly<Record<string, StoredList>>): Promise<void> {
  await update<StoredLists | undefined>(
    RECORD,
    (stored) => {
      if (readStoredSession(true)?.user.id !== owner.person) return undefined;
      const version = appVersion();
      const isSame =
        stored?.person === owner.person && stored.client === owner.client && stored.version === version;
      return { ...owner, version, lists: limit({ ...(isSame && stored.lists), ...lists }) };
    },
    store(),
  );
}

export async function deleteLists(): Promise<void> {
  await del(RECORD, store());
}

/** The address of the entry script, which changes with each release. */
function appVersion(): string {
  return document.querySelector<HTMLScriptElement>('script[type="module"]')?.src ?? '';
}

/** The newest lists that are not too old, within the limits of number and size. */
function limit(lists: Record<string, StoredList>): Record<string, StoredList> {
  const oldest = Date.now() - MAX_AGE_MS;
  const newest = Object.entries(lists)
    .filter(([, { at }]) => at >= oldest)
    .toSorted(([, one], [, other]) => other.at - one.at)
    .slice(0, MAX_LISTS);
  let left = MAX_CHARACTERS;
  return Object.fromEntries(newest.filter(([, { data }]) => (left -= JSON.stringify(data).length) >= 0));
}
