// Authorization of navigations. It runs before every navigation and when the session changes.
import { type MiddlewareFunction, replace } from 'react-router';

import { stashEmailLinkResult } from '~/features/auth/email-link-result';
import { forgetForeignLinkParams } from '~/features/auth/link-params';
import { session, sessionReady, signOut } from '~/features/auth/session';
import { setImpersonation, getImpersonation } from '~/lib/api/impersonation';
import { clearDrafts, listDraftKeys } from '~/lib/drafts/draft-keys';
import { safeSessionStorage } from '~/lib/safe-storage';
import { dismissToast, toast, type ToastMessage } from '~/lib/toast';
import { paths } from '~/paths';

import { resolveRedirect, type Visitor } from './access-rules';

const FROM_KEY = 'portaria-from';

export const authMiddleware: MiddlewareFunction = async ({ request }, next) => {
  await sessionReady();
  const { pathname, search } = new URL(request.url);
  const visitor = currentVisitor();
  const redirect = resolveRedirect(visitor, pathname, safeSessionStorage.get(FROM_KEY));
  if (redirect) {
    if (redirect.remember && !isSigningOut) {
      // The request has no fragment. That of the window may be a section that a mail links to. Tokens are not kept.
      const hash = /^#[\w-]+$/.exec(location.hash)?.[0] ?? '';
      safeSessionStorage.set(FROM_KEY, pathname + search + hash);
      stashEmailLinkResult();
      // The session ended in another tab or on the server. The toast explains the redirect.
      if (signedInId !== null) sessionEndToast = toast(sessionEndMessage(signedInId));
    }
    signedInId = idOfSignedIn(visitor);
    throw replace(redirect.to);
  }
  signedInId = idOfSignedIn(visitor);
  if (signedInId !== null) {
    isSigningOut = false;
    safeSessionStorage.remove(FROM_KEY);
    forgetForeignLinkParams();
    // It speaks to the person whose session ended.
    if (sessionEndToast !== null) dismissToast(sessionEndToast);
    sessionEndToast = null;
  }
  await next();
};

/** The id of the user who was signed in at the last navigation. */
let signedInId: string | null = null;

/** The toast that explains the end of a session, until somebody signs in. */
let sessionEndToast: number | null = null;

/** True from a sign-out until the next sign-in: going back must not make the page the next person's. */
let isSigningOut = false;

/**
 * Signs out without remembering the page, and deletes the drafts of the user, because other people may use the browser.
 * During impersonation it only ends the impersonation.
 */
export async function signOutAndClearDrafts(): Promise<void> {
  const { user } = session.get();
  const impersonation = getImpersonation();
  if (impersonation) {
    // The page is unloaded, so the promise stays pending and no success toast appears.
    setImpersonation(null, paths.adminClient(impersonation.client.id));
    return new Promise(() => {});
  }
  isSigningOut = true;
  try {
    await signOut(() => user && clearDrafts(user.id));
  } catch (error) {
    isSigningOut = false;
    throw error;
  }
}

/** Whether a `beforeunload` listener of the page reports unsaved changes. */
export function isPageUnsaved(): boolean {
  return !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
}

/** The toast of a session that ended by itself. It promises a draft only if all text of the page is in one. */
function sessionEndMessage(userId: string): ToastMessage {
  return listDraftKeys(userId).length > 0 && !isPageUnsaved()
    ? {
        title: 'Sua sessão terminou. Entre novamente; o que você escreveu foi guardado.',
        variant: 'error',
      }
    : { title: 'Sua sessão terminou', description: 'Entre novamente para continuar.' };
}

function currentVisitor(): Visitor {
  const { user } = session.get();
  if (!user) return 'guest';
  if (user.pendingStep === 'mfa') return user.isAdmin ? 'admin-mfa' : 'client-mfa';
  return user.pendingStep ?? (user.isAdmin ? 'admin' : 'client');
}

function idOfSignedIn(visitor: Visitor): string | null {
  const isSignedIn = !['guest', 'client-mfa', 'admin-mfa', 'new-password'].includes(visitor);
  return isSignedIn ? (session.get().user?.id ?? null) : null;
}
