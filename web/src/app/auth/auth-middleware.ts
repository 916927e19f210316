// Stands before every navigation, and before the page again whenever the session changes.
import { type MiddlewareFunction, replace } from 'react-router';

import { holdNews } from '~/features/auth/email-link-result';
import { session, sessionReady, signOut } from '~/features/auth/session';
import { view, viewing } from '~/lib/api/impersonation';
import { forgetAll } from '~/lib/drafts/draft-keys';
import { inTab } from '~/lib/safe-storage';
import { toast } from '~/lib/toast';
import { paths } from '~/paths';

import { redirectFor, type Visitor } from './access-rules';

const FROM_KEY = 'portaria-from';

export const guard: MiddlewareFunction = async ({ request }, next) => {
  await sessionReady();
  const { pathname } = new URL(request.url);
  const visitor = visitorNow();
  const redirect = redirectFor(visitor, pathname, inTab.get(FROM_KEY));
  if (redirect) {
    if (redirect.remember && !leaving) {
      inTab.set(FROM_KEY, pathname);
      holdNews();
      // It ended in another tab, or the server ended it: whoever was reading is told why they were led away.
      if (present) toast({ title: 'Sua sessão terminou', description: 'Entre novamente para continuar.' });
    }
    present = isIn(visitor);
    throw replace(redirect.to);
  }
  leaving = false;
  present = isIn(visitor);
  if (present) inTab.drop(FROM_KEY);
  await next();
};

/** Whether somebody was signed in when this was last looked at. */
let present = false;

/** True from the moment a person asks to leave until they stand on a sign-in page. */
let leaving = false;

/**
 * Signs out without remembering the page: whoever signs in next starts at the first page of their area. What was
 * written and not sent goes too, because the browser may be somebody else's next.
 */
export async function leave(): Promise<void> {
  const { user } = session.get();
  const seen = viewing();
  if (seen) {
    // Who looks at a client's portal leaves that, not their own. The page goes before anybody can be told.
    view(null, paths.adminClient(seen.client.id));
    return new Promise(() => {});
  }
  leaving = true;
  try {
    await signOut();
  } catch (error) {
    leaving = false;
    throw error;
  }
  if (user) forgetAll(user.id);
}

function visitorNow(): Visitor {
  const { user } = session.get();
  if (!user) return 'guest';
  return user.owes ?? (user.isAdmin ? 'admin' : 'client');
}

function isIn(visitor: Visitor): boolean {
  return visitor !== 'guest' && visitor !== 'code' && visitor !== 'password';
}
