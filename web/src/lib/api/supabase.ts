// The one way to the server: the official client's parts, joined as `createClient` joins them.
// Accounts are here, tables in `rest.ts` and files in `storage.ts`: a page loads those that it needs.
import { AuthClient, GoTrueAdminApi } from '@supabase/auth-js';

import { safeLocalStorage } from '~/lib/safe-storage';

import { rejectWhenReadOnly, setImpersonation, getImpersonation } from './impersonation';
import { serverConfig } from './server-config';
import { checkServerStatus } from './server-status';

export type { Session as AuthSession } from '@supabase/auth-js';

const STORAGE_KEY = 'portaria-auth';

export type SupabaseClients = ReturnType<typeof createClients>;

let clients: SupabaseClients | undefined;

/** The connection; made on the first call, which must come after `loadConfig`. */
export function supabase(): SupabaseClients {
  clients ??= createClients();
  return clients;
}

/** Whether a session is still kept here: the client lets go of one that the server refused, not of one it could not renew. */
export function hasStoredSession(): boolean {
  return safeLocalStorage.get(STORAGE_KEY) !== null;
}

/** The bearer token of the person signed in, or of the view they have of a client's portal, or the anonymous key. */
export async function getAccessToken(): Promise<string> {
  const seen = getImpersonation();
  if (seen) return seen.token;
  const { data } = await supabase().auth.getSession();
  return data.session?.access_token ?? serverConfig().anon_key;
}

/** What a token says. It is our own and came from the server, so it is read and not checked. */
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
      // The client offers recovery codes to whoever asks for them.
      experimental: { recoveryCodes: true },
      // This part bears the administrator's own token also while they look as somebody else.
      fetch: async (input, init) => rejectWhenReadOnly(input, init) ?? fetch(input, init),
    }),
    /**
     * Account administration. The official client sends its static headers here, which would be the
     * anonymous key; `fetchAsUser` carries the administrator's own token instead, and no privileged
     * key ever reaches a browser.
     */
    admin: new GoTrueAdminApi({ url: `${location.origin}/auth/v1`, headers, fetch: fetchAsUser }),
  };
}

/** Carries the bearer's token; every call to tables, files and accounts goes through here. */
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
  // A view ends after a while; whoever still is an administrator finds themselves in their own area.
  if (response.status === 401 && getImpersonation()) setImpersonation(null, location.origin);
  else if (response.status === 401) await signOutIfRevoked();
  return response;
}

/** A refused token may belong to a session that was ended elsewhere: then this browser is signed out too. */
async function signOutIfRevoked(): Promise<void> {
  const { auth } = supabase();
  const { data } = await auth.getSession();
  if (!data.session) return;
  const { error } = await auth.getUser();
  if (error && (error.status === 401 || error.status === 403)) await auth.signOut({ scope: 'local' });
}
