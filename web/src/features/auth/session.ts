// Who is signed in. The store follows the official client's events; screens read it with `useSession`.
import { useSyncExternalStore } from 'react';

import { setImpersonation, getImpersonation } from '~/lib/api/impersonation';
import { queryClient } from '~/lib/api/query-client';
import { serverConfig, loadServerConfig } from '~/lib/api/server-config';
import { type AuthSession, decodeJwtClaims, hasStoredSession, supabase } from '~/lib/api/supabase';
import { normalizePassword } from '~/lib/normalize-password';

/**
 * What somebody has yet to do before they are let in: choose a password that the office does not know; administrators
 * also show a code, or set up what gives codes.
 */
export type PendingStep = 'mfa' | 'mfa-setup' | 'new-password';

export type User = {
  id: string;
  email: string;
  fullName: string | null;
  isAdmin: boolean;
  pendingStep: PendingStep | null;
};

/** `loading` lasts until the stored session, if any, has been read and renewed. */
export type Session = { loading: boolean; user: User | null };

let current: Session = { loading: true, user: null };
const listeners = new Set<() => void>();
let started: Promise<void> | undefined;

/** Settles once it is known who is there; fails when the server cannot be reached. */
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

/** The person signed in, for a screen that only they can reach. */
export function useUser(): User {
  const { user } = useSession();
  // A screen lives for one more moment after its session has ended, until the guard has led away from it.
  return user ?? ANONYMOUS;
}

const ANONYMOUS: User = { id: '', email: '', fullName: null, isAdmin: false, pendingStep: null };

export async function signIn({ email, password }: { email: string; password: string }): Promise<void> {
  const { error } = await supabase().auth.signInWithPassword({
    email,
    password: normalizePassword(password),
  });
  if (error) throw error;
}

/**
 * Of this browser; a person's other devices stay signed in (/perfil ends those). The client forgets its session even
 * when the server could not be told, so the server is told first: until it knows, nobody is signed out.
 */
export async function signOut(): Promise<void> {
  const { auth } = supabase();
  const { data } = await auth.getSession();
  const { error } = data.session
    ? await auth.admin.signOut(data.session.access_token, 'local')
    : { error: null };
  const isOver = error?.status === 401 || error?.status === 403 || error?.status === 404;
  if (error && !isOver) throw error;
  await auth.signOut({ scope: 'local' });
}

/** Ends every session of this person without a word, even when the server cannot be told. */
export async function signOutEverywhere(): Promise<void> {
  const { error } = await supabase().auth.signOut();
  if (error) await supabase().auth.signOut({ scope: 'local' });
}

async function start(): Promise<void> {
  await loadServerConfig();
  await new Promise<void>((resolve, reject) => {
    supabase().auth.onAuthStateChange((event, authSession) => {
      if (event === 'INITIAL_SESSION' && !authSession && hasStoredSession()) {
        // Nobody knows yet whether this person is still signed in: that is no reason to send them to sign in again.
        reject(new TypeError('The session could not be renewed.'));
        return;
      }
      handleAuthChange(authSession);
      if (event === 'INITIAL_SESSION') resolve();
    });
  });
}

/** The client repeats itself (a visible tab, a renewed token); only a change of person is news. */
function handleAuthChange(authSession: AuthSession | null): void {
  const seen = getImpersonation();
  // Whoever began to look has left, or another person has come.
  if (seen && seen.adminId !== authSession?.user.id) return setImpersonation(null, location.origin);
  const user = authSession && toUser(authSession);
  const before = current.user;
  // What the last person read is dropped when another comes; while one leaves, their screen may still ask for it.
  if (user && before?.id !== user.id) queryClient.clear();
  if (!current.loading && isSameUser(before, user)) return;
  current = { loading: false, user };
  for (const listener of listeners) listener();
}

function toUser(authSession: AuthSession): User {
  const { user } = authSession;
  const seen = getImpersonation();
  if (seen) return { ...seen.client, isAdmin: false, pendingStep: null };
  const roles: unknown = user.app_metadata['roles'];
  const isAdmin = Array.isArray(roles) && roles.includes('admin');
  const fullName: unknown = user.user_metadata['full_name'];
  return {
    id: user.id,
    email: user.email ?? '',
    fullName: typeof fullName === 'string' && fullName.trim() !== '' ? fullName.trim() : null,
    isAdmin,
    pendingStep:
      (isAdmin && pendingMfaStep(authSession)) || (mustChangePassword(authSession) ? 'new-password' : null),
  };
}

function pendingMfaStep({ access_token, user }: AuthSession): PendingStep | null {
  if (decodeJwtClaims(access_token).aal === 'aal2') return null;
  if (user.factors?.some(({ status }) => status === 'verified')) return 'mfa';
  return serverConfig().require_second_step ? 'mfa-setup' : null;
}

function mustChangePassword({ user }: AuthSession): boolean {
  return user.app_metadata['must_change_password'] === true;
}

function isSameUser(a: User | null, b: User | null): boolean {
  const told = (user: User | null) =>
    user && [user.id, user.email, user.fullName, user.isAdmin, user.pendingStep].join('\n');
  return told(a) === told(b);
}
