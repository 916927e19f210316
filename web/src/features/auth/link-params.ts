// Parameters of the link that opened a page, kept in the tab until they are used, so that a reload does not lose them.
import { consumeHashParams } from '~/lib/hash-params';
import { safeSessionStorage } from '~/lib/safe-storage';

import { session } from './session';

type LinkedPage = 'password' | 'setup';

/**
 * Returns the parameters in the URL fragment, or else those that the tab keeps for this page. Kept parameters belong to
 * the visitor who opened the link: after a sign-in of another user they are ignored.
 */
export function readLinkParams(page: LinkedPage): URLSearchParams {
  const fragment = consumeHashParams();
  const visitor = session.get().user?.id ?? '';
  if (fragment.size > 0) {
    safeSessionStorage.set(storageKey(page), `${visitor}?${fragment}`);
    return fragment;
  }
  const [keptFor, kept] = (safeSessionStorage.get(storageKey(page)) ?? '').split('?');
  return new URLSearchParams(keptFor === visitor ? kept : '');
}

/** Forgets the kept parameters of a page, after their token was used or refused. */
export function forgetLinkParams(page: LinkedPage): void {
  safeSessionStorage.remove(storageKey(page));
}

function storageKey(page: LinkedPage): string {
  return `portaria-link/${page}`;
}
