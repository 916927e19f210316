// The auth clients, and `fetch` with the access token of the user. The auth clients are loaded on demand: with a fresh
// stored session, or without one, a page opens without them. The clients for tables (`postgrest.ts`) and files
// (`storage.ts`) are separate modules too, so a page loads only those that it needs.
import type { AuthChangeEvent, Session } from '@supabase/auth-js';

import { safeLocalStorage } from '~/lib/safe-storage';

import type { createAuthClients } from './auth-client';
import { rejectWhenReadOnly, setImpersonation, getImpersonation } from './impersonation';
import { serverConfig } from './server-config';
import { checkServerStatus } from './server-status';

export type AuthSession = Session;

const STORAGE_KEY = 'portaria-auth';
/** Remaining lifetime below which the auth client renews an access token before its use. */
const RENEWAL_MARGIN_MS = 90_000;

type AuthListener = (event: AuthChangeEvent, session: AuthSession | null) => void;
export type SupabaseClients = ReturnType<typeof createAuthClients>;

let authListener: AuthListener | undefined;
let clients: Promise<SupabaseClients> | undefined;

/** Sets the listener to the events of the auth client. Call it before `supabase`. */
export function setAuthListener(listener: AuthListener): void {
  authListener = listener;
}

/** The auth clients, loaded and created on the first call. Call `loadServerConfig` before. */
export function supabase(): Promise<SupabaseClients> {
  clients ??= loadClients();
  return clients;
}

async function loadClients(): Promise<SupabaseClients> {
  try {
    const { createAuthClients } = await import('./auth-client');
    const created = createAuthClients(STORAGE_KEY, fetchAsUser);
    created.auth.onAuthStateChange((event, session) => authListener?.(event, session));
    return created;
  } catch (error) {
    // The next call loads the module again.
    clients = undefined;
    throw error;
  }
}

/**
 * Whether the browser stores a session. The auth client deletes a session that the server rejects, but keeps one that a
 * network error prevents from renewal.
 */
export function hasStoredSession(): boolean {
  return safeLocalStorage.get(STORAGE_KEY) !== null;
}

/**
 * The stored session, or null if there is none. Undefined if only the auth client can find out: the session is about to
 * expire, or a mailed link has put a new one into the URL fragment. Without a network nothing can renew the session, so
 * an expired one says who the person is.
 */
export function readStoredSession(isExpiredAllowed = !navigator.onLine): AuthSession | null | undefined {
  if (/[#&]access_token=/.test(location.hash)) return undefined;
  const stored = safeLocalStorage.get(STORAGE_KEY);
  if (stored === null) return null;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the auth client wrote it, and the server does not trust it.
    const session = JSON.parse(stored) as AuthSession;
    const isFresh = (session.expires_at ?? 0) * 1_000 - Date.now() >= RENEWAL_MARGIN_MS;
    return isFresh || isExpiredAllowed ? session : undefined;
  } catch {
    return undefined;
  }
}

/** The bearer token: that of the impersonation, else that of the session, else the public key. */
export async function getAccessToken(): Promise<string> {
  const impersonation = getImpersonation();
  if (impersonation) return impersonation.token;
  const session = readStoredSession() ?? (await (await supabase()).auth.getSession()).data.session;
  return session?.access_token ?? serverConfig().anon_key;
}

/** Decodes the claims of a JWT (RFC 7519) without verification, because the token comes from the server. */
export function decodeJwtClaims(token: string): { session_id?: string; aal?: string } {
  const part = token.split('.')[1];
  if (part === undefined) return {};
  return JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/')));
}

/**
 * `fetch` with the bearer token, for the clients of tables, files and account administration. If the server rejects the
 * token, the request is repeated once with a new one. The body must not be a stream, which cannot be sent twice.
 */
export async function fetchAsUser(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const refusal = rejectWhenReadOnly(input, init);
  if (refusal) return refusal;
  const token = await getAccessToken();
  const response = await fetchWithToken(token, input, init);
  if (response.status !== 401) return response;
  // An expired impersonation returns the administrator to the back office.
  if (getImpersonation()) setImpersonation(null, location.origin);
  else if (await renewSession(token)) return fetchWithToken(await getAccessToken(), input, init);
  return response;
}

async function fetchWithToken(
  token: string,
  input: RequestInfo | URL,
  init?: RequestInit,
): Promise<Response> {
  const headers = new Headers(init?.headers);
  headers.set('Authorization', `Bearer ${token}`);
  const response = await fetch(input, { ...init, headers }).catch((error: unknown) => {
    if (!init?.signal?.aborted) checkServerStatus();
    throw error;
  });
  if (response.status >= 502) checkServerStatus();
  return response;
}

/**
 * Renews the session after the server rejected this access token. By a slow clock of the device, an expired token still
 * counts as fresh. Returns whether there is another token. Signs out in this browser if the session has ended.
 */
async function renewSession(rejected: string): Promise<boolean> {
  const { auth } = await supabase();
  const { data } = await auth.getSession();
  // Another request or another tab has renewed it.
  if (data.session && data.session.access_token !== rejected) return true;
  const { error } = await auth.refreshSession();
  // The client reports status 400 too if the session is no longer stored.
  if (error && [400, 401, 403].includes(error.status ?? 0)) await auth.signOut({ scope: 'local' });
  return !error;
}
