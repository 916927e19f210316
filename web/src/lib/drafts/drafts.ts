// Drafts of unsent messages. They are stored in the browser, so they survive a failed request and a reload, and other
// tabs share them.
import * as z from 'zod/mini';

import { safeLocalStorage } from '~/lib/safe-storage';
import { randomUuid } from '~/lib/uuid';

import { draftStorageKey, listDraftKeys } from './draft-keys';

export type Draft<Values> = {
  /** The last part of the storage key. It does not change while the draft is edited. */
  id: string;
  /** Changes with every edit. The server accepts a repeated request with the same key only once. */
  idempotencyKey: string;
  values: Values;
};

/** The owner and the purpose of drafts. */
export type DraftScope = { userId: string; kind: string };

const storedDraftSchema = z.object({ key: z.uuid(), at: z.number(), values: z.unknown() });

export function newDraft<Values>(values: Values, id = randomUuid()): Draft<Values> {
  return { id, idempotencyKey: randomUuid(), values };
}

/** The drafts of a scope, newest first. Invalid entries are skipped. */
export function listDrafts<Values>(
  scope: DraftScope,
  parse: (values: unknown) => Values | undefined,
): Draft<Values>[] {
  const prefix = storageKey(scope, '');
  const found: (Draft<Values> & { at: number })[] = [];
  for (const itemKey of listDraftKeys(scope.userId)) {
    if (!itemKey.startsWith(prefix)) continue;
    const stored = read(safeLocalStorage.get(itemKey));
    const values = stored && parse(stored.values);
    if (stored && values !== undefined) {
      found.push({ id: itemKey.slice(prefix.length), idempotencyKey: stored.key, at: stored.at, values });
    }
  }
  return found
    .toSorted((one, other) => other.at - one.at)
    .map(({ id, idempotencyKey, values }) => ({ id, idempotencyKey, values }));
}

export function saveDraft<Values>(scope: DraftScope, { id, idempotencyKey, values }: Draft<Values>): void {
  // After a sign-out the form stays mounted for a moment without a user.
  if (scope.userId === '') return;
  const itemKey = storageKey(scope, id);
  // An unchanged draft is not written again, because a write notifies the other tabs.
  if (read(safeLocalStorage.get(itemKey))?.key === idempotencyKey) return;
  safeLocalStorage.set(itemKey, JSON.stringify({ key: idempotencyKey, at: Date.now(), values }));
}

export function deleteDraft(scope: DraftScope, id: string): void {
  safeLocalStorage.remove(storageKey(scope, id));
}

/** Deletes a sent draft, unless it has changed since. */
export function deleteDraftIfUnchanged(
  scope: DraftScope,
  { id, idempotencyKey }: Pick<Draft<unknown>, 'id' | 'idempotencyKey'>,
): void {
  const itemKey = storageKey(scope, id);
  if (read(safeLocalStorage.get(itemKey))?.key === idempotencyKey) safeLocalStorage.remove(itemKey);
}

/** Calls `onChange` when another tab saves or deletes the draft. Returns the function that unsubscribes. */
export function subscribeToDraft(scope: DraftScope, id: string, onChange: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === null || key === storageKey(scope, id)) onChange();
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
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
