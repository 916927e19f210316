// Session store. It follows the events of the official client; screens read it with `useSession`.
import { useSyncExternalStore } from 'react';

import { setImpersonation, getImpersonation } from '~/lib/api/impersonation';
import { queryClient } from '~/lib/api/query-client';
import { serverConfig, loadServerConfig } from '~/lib/api/server-config';
import { checkServerStatus, pingServer } from '~/lib/api/server-status';
import {
  type AuthSession,
  decodeJwtClaims,
  hasStoredSession,
  readStoredSession,
  setAuthListener,
  supabase,
} from '~/lib/api/supabase';
import { normalizePassword } from '~/lib/normalize-password';

/**
 * Step that a restricted session must complete before it gets full access: replace a password set by staff, pass the
 * MFA challenge, or enroll an MFA factor (staff only).
 */
export type PendingStep = 'mfa' | 'mfa-setup' | 'new-password';

export type User = {
  id: string;
  email: string;
  fullName: string | null;
  isAdmin: boolean;
  /** Role of a member of the staff with fewer rights than an administrator. */
  officeRole?: unknown;
  /** Whether the member of the staff reaches only the clients that are assigned to them. */
  assignedClientsOnly?: boolean;
  pendingStep: PendingStep | null;
};

/** `loading` is true until the stored session has been read and refreshed. */
export type Session = { loading: boolean; user: User | null };

let current: Session = { loading: true, user: null };
const listeners = new Set<() => void>();
let started: Promise<void> | undefined;

/** Resolves when the session state is known. Rejects if the server is unreachable. */
export function sessionReady(): Promise<void> {
  started ??= start();
  return started;
}

export const session = {
  get: () => current,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export function useSession(): Session {
  return useSyncExternalStore(session.subscribe, session.get);
}

/** The signed-in user, for screens behind the route guard. */
export function useUser(): User {
  const { user } = useSession();
  // A screen renders once more between the end of the session and the redirect of the route guard.
  return user ?? ANONYMOUS;
}

const ANONYMOUS: User = { id: '', email: '', fullName: null, isAdmin: false, pendingStep: null };

export async function signIn({ email, password }: { email: string; password: string }): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.signInWithPassword({
    email,
    password: normalizePassword(password),
  });
  if (error) throw error;
}

/**
 * Signs out this browser; other sessions of the user stay valid. The official client drops the local session even if
 * its request fails, so the request to the server comes first and a failure keeps the session. `onRevoked` runs before
 * the other tabs notice.
 */
export async function signOut(onRevoked: () => void): Promise<void> {
  const { auth } = await supabase();
  const { data } = await auth.getSession();
  const { error } = data.session
    ? await auth.admin.signOut(data.session.access_token, 'local')
    : { error: null };
  const isOver = error?.status === 401 || error?.status === 403 || error?.status === 404;
  if (error && !isOver) throw error;
  onRevoked();
  await auth.signOut({ scope: 'local' });
}

/** Revokes every session of the user. Failures of the request are not reported. */
export async function signOutEverywhere(): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.signOut();
  if (error) await auth.signOut({ scope: 'local' });
}

async function start(): Promise<void> {
  const initial = Promise.withResolvers<void>();
  setAuthListener((event, authSession) => {
    if (event === 'INITIAL_SESSION' && !authSession && hasStoredSession()) {
      // The session may still be valid. A network failure does not redirect to the sign-in page.
      initial.reject(new TypeError('The session could not be renewed.'));
      return;
    }
    handleAuthChange(authSession);
    if (event === 'INITIAL_SESSION') initial.resolve();
  });
  await loadServerConfig();
  const stored = readStoredSession();
  if (stored === undefined) {
    void startUnreachable(initial.resolve);
    await supabase();
    return initial.promise;
  }
  // The state is known already, so a later failure of the auth client concerns only its next caller.
  initial.promise.catch(() => {});
  handleAuthChange(stored);
}

/** If the server is unreachable, the expired session says whose kept lists may be shown. */
async function startUnreachable(onKnown: () => void): Promise<void> {
  const isUp = await pingServer();
  const expired = readStoredSession(true);
  if (isUp || !expired || !current.loading) return;
  checkServerStatus();
  handleAuthChange(expired);
  onKnown();
}

/**
 * Loads the auth client, which renews the session and follows its changes in other tabs. Call it when the page is
 * rendered and idle.
 */
export async function followSession(): Promise<void> {
  // Offline, the next request loads it.
  await supabase().catch(() => {});
}

/** Handles auth events. Repeated events (visible tab, refreshed token) for the same user are ignored. */
function handleAuthChange(authSession: AuthSession | null): void {
  const impersonation = getImpersonation();
  // The impersonating administrator has signed out, or another user has signed in.
  if (impersonation && impersonation.adminId !== authSession?.user.id) {
    return setImpersonation(null, location.origin);
  }
  const user = authSession && toUser(authSession);
  const before = current.user;
  // The cache of the previous user is cleared when another user signs in. After a sign-out it stays for screens that
  // are still mounted.
  if (user && before?.id !== user.id) queryClient.clear();
  if (!current.loading && isSameUser(before, user)) return;
  current = { loading: false, user };
  for (const listener of listeners) listener();
}

function toUser(authSession: AuthSession): User {
  const { user } = authSession;
  const impersonation = getImpersonation();
  if (impersonation) return { ...impersonation.client, isAdmin: false, pendingStep: null };
  const roles: unknown = user.app_metadata['roles'];
  const isAdmin = Array.isArray(roles) && roles.includes('admin');
  const fullName: unknown = user.user_metadata['full_name'];
  const mfaStep = pendingMfaStep(authSession, isAdmin);
  return {
    id: user.id,
    email: user.email ?? '',
    fullName: typeof fullName === 'string' && fullName.trim() !== '' ? fullName.trim() : null,
    isAdmin,
    officeRole: user.app_metadata['office_role'],
    assignedClientsOnly: user.app_metadata['assigned_clients_only'] === true,
    // The password that staff knows is replaced before MFA is enrolled, but after it is passed.
    pendingStep: mfaStep !== 'mfa' && mustChangePassword(authSession) ? 'new-password' : mfaStep,
  };
}

function pendingMfaStep({ access_token, user }: AuthSession, isAdmin: boolean): PendingStep | null {
  if (decodeJwtClaims(access_token).aal === 'aal2') return null;
  if (user.factors?.some(({ status }) => status === 'verified')) return 'mfa';
  return isAdmin && serverConfig().require_second_step ? 'mfa-setup' : null;
}

function mustChangePassword({ user }: AuthSession): boolean {
  return user.app_metadata['must_change_password'] === true;
}

function isSameUser(a: User | null, b: User | null): boolean {
  const identityOf = (user: User | null) =>
    user &&
    [
      user.id,
      user.email,
      user.fullName,
      user.isAdmin,
      user.officeRole,
      user.assignedClientsOnly,
      user.pendingStep,
    ].join('\n');
  return identityOf(a) === identityOf(b);
}
