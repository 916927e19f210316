// Who may stand where, and where everyone else is sent. One pure function; the guard in `guard.ts` obeys it.
import { matchPath } from 'react-router';

import type { PendingStep } from '~/features/auth/session';
import { paths, patterns } from '~/paths';

/** Who owes something has one page until it is done. */
export type Visitor = 'guest' | 'client' | 'admin' | PendingStep;

export type Redirect = {
  to: string;
  /** The page asked for is kept, to be shown once its visitor has signed in. */
  remember: boolean;
};

/** Where a visitor who asks for `pathname` is sent, or null to stay. `from` is the page once remembered. */
export function resolveRedirect(
  visitor: Visitor,
  pathname: string,
  from: string | null = null,
): Redirect | null {
  const area = areaOf(pathname);
  if (visitor === 'mfa' || visitor === 'mfa-setup') {
    const only = visitor === 'mfa' ? paths.adminLogin() : paths.adminSecurity();
    if (area === 'open' || pathname === only) return null;
    return { to: only, remember: visitor === 'mfa' && area === 'admin' };
  }
  // They sign in anew with the password they chose.
  if (visitor === 'new-password') return area === 'open' ? null : to(paths.updatePassword());
  switch (area) {
    case 'open':
      return null;
    case 'signIn':
      return visitor === 'guest' ? null : to(landingPath(visitor, from));
    case 'client':
      if (visitor === 'guest') return { to: paths.login(), remember: true };
      return visitor === 'admin' ? to(paths.adminDashboard()) : null;
    case 'admin':
      if (visitor === 'guest') return { to: paths.adminLogin(), remember: true };
      return visitor === 'client' ? to(paths.home()) : null;
    case 'unknown':
      return to(isUnderAdmin(pathname) ? paths.adminDashboard() : paths.home());
  }
}

/** The page a visitor came from, if it is one of ours and theirs; otherwise the first page of their area. */
function landingPath(visitor: 'client' | 'admin', from: string | null): string {
  // A second slash, or a backslash that browsers read as one, would lead to another host.
  if (from && /^\/(?![/\\])/.test(from) && areaOf(from) === visitor) return from;
  return visitor === 'admin' ? paths.adminDashboard() : paths.home();
}

type Area = keyof typeof patterns | 'unknown';

function areaOf(pathname: string): Area {
  const has = (area: keyof typeof patterns) =>
    Object.values(patterns[area]).some((pattern) => matchPath(pattern, pathname) !== null);
  return (['signIn', 'open', 'client', 'admin'] as const).find(has) ?? 'unknown';
}

function isUnderAdmin(pathname: string): boolean {
  return matchPath(`${paths.admin()}/*`, pathname) !== null;
}

const to = (path: string): Redirect => ({ to: path, remember: false });
