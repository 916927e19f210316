// Storage keys of drafts. Signing out needs them on every screen, so they are separate from `drafts.ts`, which few
// screens load.
import { safeLocalStorage } from '~/lib/safe-storage';

const KEY_PREFIX = 'portaria-draft';

export function draftStorageKey(userId: string, kind: string, id: string): string {
  return `${KEY_PREFIX}/${userId}/${kind}/${id}`;
}

/** The keys of all unsent drafts of a user in this browser. */
export function listDraftKeys(userId: string): string[] {
  return safeLocalStorage.keys().filter((key) => key.startsWith(`${KEY_PREFIX}/${userId}/`));
}

/** The ids of the unsent drafts of one kind. */
export function listDraftIds(userId: string, kind: string): string[] {
  const prefix = draftStorageKey(userId, kind, '');
  return listDraftKeys(userId).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
}

/** Deletes all drafts of a user. */
export function clearDrafts(userId: string): void {
  for (const key of listDraftKeys(userId)) safeLocalStorage.remove(key);
}
