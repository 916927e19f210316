// Stands before every navigation, and before the page again whenever the session changes.
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
      // It ended in another tab, or the server ended it: whoever was reading is told why they were led away.
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

/** Whether somebody was signed in when this was last looked at. */
let wasSignedIn = false;

/** True from the moment a person asks to leave until they stand on a sign-in page. */
let isSigningOut = false;

/**
 * Signs out without remembering the page: whoever signs in next starts at the first page of their area. What was
 * written and not sent goes too, because the browser may be somebody else's next.
 */
export async function signOutAndClearDrafts(): Promise<void> {
  const { user } = session.get();
  const seen = getImpersonation();
  if (seen) {
    // Who looks at a client's portal leaves that, not their own. The page goes before anybody can be told.
    setImpersonation(null, paths.adminClient(seen.client.id));
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
