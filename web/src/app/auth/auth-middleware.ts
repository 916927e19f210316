// Authorization of navigations. It runs before every navigation and when the session changes.
import { type MiddlewareFunction, replace } from 'react-router';

import { stashEmailLinkResult } from '~/features/auth/email-link-result';
import { session, sessionReady, signOut } from '~/features/auth/session';
import { setImpersonation, getImpersonation } from '~/lib/api/impersonation';
import { clearDrafts } from '~/lib/drafts/draft-keys';
import { safeSessionStorage } from '~/lib/safe-storage';
import { toast } from '~/lib/toast';
import { paths } from '~/paths';

import { resolveRedirect, type Visitor } from './access-rules';

const FROM_KEY = 'portaria-from';

export const authMiddleware: MiddlewareFunction = async ({ request }, next) => {
  await sessionReady();
  const { pathname } = new URL(request.url);
  const visitor = currentVisitor();
  const redirect = resolveRedirect(visitor, pathname, safeSessionStorage.get(FROM_KEY));
  if (redirect) {
    if (redirect.remember && !isSigningOut) {
      safeSessionStorage.set(FROM_KEY, pathname);
      stashEmailLinkResult();
      // The session ended in another tab or on the server. The toast explains the redirect.
      if (wasSignedIn)
        toast({ title: 'Sua sessão terminou', description: 'Entre novamente para continuar.' });
    }
    wasSignedIn = isSignedIn(visitor);
    throw replace(redirect.to);
  }
  isSigningOut = false;
  wasSignedIn = isSignedIn(visitor);
  if (wasSignedIn) safeSessionStorage.remove(FROM_KEY);
  await next();
};

/** Whether a user was signed in at the last navigation. */
let wasSignedIn = false;

/** True from a sign-out until the navigation to a sign-in page. */
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
    await signOut();
  } catch (error) {
    isSigningOut = false;
    throw error;
  }
  if (user) clearDrafts(user.id);
}

function currentVisitor(): Visitor {
  const { user } = session.get();
  if (!user) return 'guest';
  return user.pendingStep ?? (user.isAdmin ? 'admin' : 'client');
}

function isSignedIn(visitor: Visitor): boolean {
  return visitor !== 'guest' && visitor !== 'mfa' && visitor !== 'new-password';
}
