// The auth clients, and `fetch` with the access token of the user. The clients for tables (`postgrest.ts`) and files
// (`storage.ts`) are separate modules, so a page loads only those that it needs.
import { AuthClient, GoTrueAdminApi } from '@supabase/auth-js';

import { safeLocalStorage } from '~/lib/safe-storage';

import { rejectWhenReadOnly, setImpersonation, getImpersonation } from './impersonation';
import { serverConfig } from './server-config';
import { checkServerStatus } from './server-status';

export type { Session as AuthSession } from '@supabase/auth-js';

const STORAGE_KEY = 'portaria-auth';

export type SupabaseClients = ReturnType<typeof createClients>;

let clients: SupabaseClients | undefined;

/** The auth clients, created on the first call. Call `loadServerConfig` before. */
export function supabase(): SupabaseClients {
  clients ??= createClients();
  return clients;
}

/**
 * Whether the browser stores a session. The auth client deletes a session that the server rejects, but keeps one that a
 * network error prevents from renewal.
 */
export function hasStoredSession(): boolean {
  return safeLocalStorage.get(STORAGE_KEY) !== null;
}

/** The bearer token: that of the impersonation, else that of the session, else the anonymous key. */
export async function getAccessToken(): Promise<string> {
  const impersonation = getImpersonation();
  if (impersonation) return impersonation.token;
  const { data } = await supabase().auth.getSession();
  return data.session?.access_token ?? serverConfig().anon_key;
}

/** Decodes the claims of a JWT (RFC 7519) without verification, because the token comes from the server. */
export function decodeJwtClaims(token: string): { session_id?: string; aal?: string } {
  const part = token.split('.')[1];
  if (part === undefined) return {};
  return JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/')));
}

function createClients() {
  const apikey = serverConfig().anon_key;
  const headers = { apikey };
  return {
    auth: new AuthClient({
      url: `${location.origin}/auth/v1`,
      headers: { apikey, Authorization: `Bearer ${apikey}` },
      storageKey: STORAGE_KEY,
      // Recovery codes are an experimental feature of the client.
      experimental: { recoveryCodes: true },
      // During impersonation this client still uses the administrator's token.
      fetch: async (input, init) => rejectWhenReadOnly(input, init) ?? fetch(input, init),
    }),
    /**
     * Account administration. The Supabase client expects a service key in its headers. `fetchAsUser` sends the token of
     * the administrator instead, so the browser never receives a service key.
     */
    admin: new GoTrueAdminApi({ url: `${location.origin}/auth/v1`, headers, fetch: fetchAsUser }),
  };
}

/** `fetch` with the bearer token, for the clients of tables, files and account administration. */
export async function fetchAsUser(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const refusal = rejectWhenReadOnly(input, init);
  if (refusal) return refusal;
  const headers = new Headers(init?.headers);
  headers.set('Authorization', `Bearer ${await getAccessToken()}`);
  const response = await fetch(input, { ...init, headers }).catch((error: unknown) => {
    if (!init?.signal?.aborted) checkServerStatus();
    throw error;
  });
  if (response.status >= 502) checkServerStatus();
  // An expired impersonation returns the administrator to the admin area.
  if (response.status === 401 && getImpersonation()) setImpersonation(null, location.origin);
  else if (response.status === 401) await signOutIfRevoked();
  return response;
}

/** Signs out in this browser if the session was ended elsewhere. */
async function signOutIfRevoked(): Promise<void> {
  const { auth } = supabase();
  const { data } = await auth.getSession();
  if (!data.session) return;
  const { error } = await auth.getUser();
  if (error && (error.status === 401 || error.status === 403)) await auth.signOut({ scope: 'local' });
}
