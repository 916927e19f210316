// Parameters of the link that opened a page, kept in the tab until they are used, so that a reload does not lose them.
import { useEffect } from 'react';

import { consumeHashParams } from '~/lib/hash-params';
import { safeSessionStorage } from '~/lib/safe-storage';

import { session } from './session';

const LINKED_PAGES = ['password', 'setup', 'signIn', 'email'] as const;
type LinkedPage = (typeof LINKED_PAGES)[number];

/**
 * Returns the parameters in the URL fragment, or else those that the tab keeps for this page. Kept parameters belong to
 * the visitor who opened the link: for another user they are ignored.
 */
export function readLinkParams(page: LinkedPage): URLSearchParams {
  const fragment = consumeHashParams();
  if (fragment.size > 0) {
    safeSessionStorage.set(storageKey(page), `${visitorId()}?${fragment}`);
    return fragment;
  }
  const [visitor, kept] = readKept(page);
  return new URLSearchParams(visitor === visitorId() ? kept : '');
}

/** Forgets the kept parameters of a page, after their token was used or refused. */
export function forgetLinkParams(page: LinkedPage): void {
  safeSessionStorage.remove(storageKey(page));
}

/** Forgets the kept parameters of other visitors, so that they do not return after this visitor's sign-out. */
export function forgetForeignLinkParams(): void {
  for (const page of LINKED_PAGES) if (readKept(page)[0] !== visitorId()) forgetLinkParams(page);
}

/** Reloads the page when another link is pasted into its tab: a change of the fragment alone loads nothing. */
export function useReloadOnNewLink(): void {
  useEffect(() => {
    const reload = () => location.reload();
    window.addEventListener('hashchange', reload);
    return () => window.removeEventListener('hashchange', reload);
  }, []);
}

function readKept(page: LinkedPage): string[] {
  return (safeSessionStorage.get(storageKey(page)) ?? '').split('?');
}

function visitorId(): string {
  return session.get().user?.id ?? '';
}

function storageKey(page: LinkedPage): string {
  return `portaria-link/${page}`;
}
