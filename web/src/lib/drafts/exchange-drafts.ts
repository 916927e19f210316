// Drafts of a person who acts for several clients.
import { safeLocalStorage } from '~/lib/safe-storage';

import { draftStorageKey, listDraftIds } from './draft-keys';
import type { DraftScope } from './drafts';

/** Puts the drafts of a scope aside with the client whom the session leaves, and brings back those of the next one. */
export function exchangeDrafts({ userId, kind }: DraftScope, from: string, to: string): void {
  move(userId, kind, `${kind}@${from}`);
  move(userId, `${kind}@${to}`, kind);
}

function move(userId: string, from: string, to: string): void {
  for (const id of listDraftIds(userId, from)) {
    const key = draftStorageKey(userId, from, id);
    const draft = safeLocalStorage.get(key);
    if (draft !== null) safeLocalStorage.set(draftStorageKey(userId, to, id), draft);
    safeLocalStorage.remove(key);
  }
}
