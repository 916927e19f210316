// Where drafts lie in the browser, whatever is in them. Apart from `drafts.ts`, because every screen can sign out and
// few have drafts to read.
import { safeLocalStorage } from '~/lib/safe-storage';

const KEY_PREFIX = 'portaria-draft';

export function draftStorageKey(userId: string, kind: string, id: string): string {
  return `${KEY_PREFIX}/${userId}/${kind}/${id}`;
}

/** Everything that a person wrote here and did not send. */
export function listDraftKeys(userId: string): string[] {
  return safeLocalStorage.keys().filter((place) => place.startsWith(`${KEY_PREFIX}/${userId}/`));
}

/** Leaves nothing of it behind. */
export function clearDrafts(userId: string): void {
  for (const place of listDraftKeys(userId)) safeLocalStorage.remove(place);
}
