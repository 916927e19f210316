// What somebody wrote and the server does not have yet. It is kept in the browser, so that a failure, a reload or
// a second tab loses nothing of it.
import * as z from 'zod/mini';

import { safeLocalStorage } from '~/lib/safe-storage';
import { randomUuid } from '~/lib/uuid';

import { draftStorageKey, listDraftKeys } from './draft-keys';

export type Draft<Values> = {
  /** Where it is kept; stays the same while the words change. */
  id: string;
  /** Another one with every change: under one key the server takes what is sent twice only once. */
  idempotencyKey: string;
  values: Values;
};

/** Whose drafts, and of what. */
export type DraftScope = { userId: string; kind: string };

const storedDraftSchema = z.object({ key: z.uuid(), at: z.number(), values: z.unknown() });

export function newDraft<Values>(values: Values, id = randomUuid()): Draft<Values> {
  return { id, idempotencyKey: randomUuid(), values };
}

/** The drafts of a scope, the newest first. What stands there and is none of ours is passed over. */
export function listDrafts<Values>(
  scope: DraftScope,
  parse: (values: unknown) => Values | undefined,
): Draft<Values>[] {
  const start = storageKey(scope, '');
  const found: (Draft<Values> & { at: number })[] = [];
  for (const place of listDraftKeys(scope.userId)) {
    if (!place.startsWith(start)) continue;
    const kept = read(safeLocalStorage.get(place));
    const values = kept && parse(kept.values);
    if (kept && values !== undefined) {
      found.push({ id: place.slice(start.length), idempotencyKey: kept.key, at: kept.at, values });
    }
  }
  return found
    .toSorted((one, other) => other.at - one.at)
    .map(({ id, idempotencyKey, values }) => ({ id, idempotencyKey, values }));
}

export function saveDraft<Values>(scope: DraftScope, { id, idempotencyKey, values }: Draft<Values>): void {
  // A form stands for one more moment after its session has ended: its words are nobody's then.
  if (scope.userId === '') return;
  const place = storageKey(scope, id);
  // Kept already; to write it again would call the other tabs for nothing.
  if (read(safeLocalStorage.get(place))?.key === idempotencyKey) return;
  safeLocalStorage.set(place, JSON.stringify({ key: idempotencyKey, at: Date.now(), values }));
}

/** Forgets a draft that nothing is left of. */
export function deleteDraft(scope: DraftScope, id: string): void {
  safeLocalStorage.remove(storageKey(scope, id));
}

/** Forgets a draft that was sent, unless it was changed since. */
export function deleteDraftIfUnchanged(
  scope: DraftScope,
  { id, idempotencyKey }: Pick<Draft<unknown>, 'id' | 'idempotencyKey'>,
): void {
  const place = storageKey(scope, id);
  if (read(safeLocalStorage.get(place))?.key === idempotencyKey) safeLocalStorage.remove(place);
}

/** Hears of a draft that another tab keeps or forgets. */
export function subscribeToDraft(scope: DraftScope, id: string, changed: () => void): () => void {
  const hear = ({ key }: StorageEvent) => {
    if (key === null || key === storageKey(scope, id)) changed();
  };
  window.addEventListener('storage', hear);
  return () => window.removeEventListener('storage', hear);
}

function storageKey({ userId, kind }: DraftScope, id: string): string {
  return draftStorageKey(userId, kind, id);
}

function read(text: string | null) {
  try {
    return storedDraftSchema.safeParse(JSON.parse(text ?? 'null')).data;
  } catch {
    return undefined;
  }
}
