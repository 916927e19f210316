// Access rules of the routes: which visitors may open a page, and where the others are redirected.
import { matchPath } from 'react-router';

import type { PendingStep } from '~/features/auth/session';
import { paths, patterns } from '~/paths';

/** A user with a pending step may only open the page of that step and the open pages. */
export type Visitor = 'guest' | 'client' | 'admin' | 'client-mfa' | 'admin-mfa' | Exclude<PendingStep, 'mfa'>;

export type Redirect = {
  to: string;
  /** Whether to return to the requested page after sign-in. */
  remember: boolean;
};

/**
 * The redirect for a visitor who requests `pathname`, or null if access is allowed. `from` is the remembered page with its
 * query and fragment.
 */
export function resolveRedirect(
  visitor: Visitor,
  pathname: string,
  from: string | null = null,
): Redirect | null {
  const area = areaOf(pathname);
  if (visitor === 'client-mfa' || visitor === 'admin-mfa') {
    const [loginPath, ownArea] =
      visitor === 'admin-mfa' ? [paths.adminLogin(), 'admin'] : [paths.login(), 'client'];
    if (area === 'open' || pathname === loginPath) return null;
    return { to: loginPath, remember: area === ownArea };
  }
  if (visitor === 'mfa-setup') {
    const isAllowed = area === 'open' || pathname === paths.adminSecurity();
    return isAllowed ? null : to(paths.adminSecurity());
  }
  // After choosing a password the user signs in with it.
  if (visitor === 'new-password') return area === 'open' ? null : to(paths.updatePassword());
  switch (area) {
    case 'open':
      return null;
    case 'signIn':
      return visitor === 'guest' ? null : to(landingPath(visitor, from));
    case 'client':
      if (visitor === 'guest') return { to: paths.login(), remember: true };
      return visitor === 'admin' ? to(guideIn('admin', pathname) ?? paths.adminDashboard()) : null;
    case 'admin':
      if (visitor === 'guest') return { to: paths.adminLogin(), remember: true };
      return visitor === 'client' ? to(guideIn('client', pathname) ?? paths.home()) : null;
    case 'unknown':
      return to(isUnderAdmin(pathname) ? paths.adminDashboard() : paths.home());
  }
}

/**
 * The page after sign-in: the remembered page if it belongs to the visitor's area, otherwise the first page of the
 * area.
 */
function landingPath(visitor: 'client' | 'admin', from: string | null): string {
  // Prevents an open redirect: browsers resolve `//host` and `/\host` to another host.
  if (from && /^\/(?![/\\])/.test(from) && areaOf(from.split(/[?#]/)[0] ?? '') === visitor) return from;
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

/** The same page of the guide in an area, or null if the path is not one of the guide. */
function guideIn(area: 'client' | 'admin', pathname: string): string | null {
  const [from, into] =
    area === 'admin' ? [paths.help(), paths.adminHelp()] : [paths.adminHelp(), paths.help()];
  const match = matchPath(`${from}/*`, pathname);
  return match && [into, match.params['*']].filter(Boolean).join('/');
}

const to = (path: string): Redirect => ({ to: path, remember: false });
