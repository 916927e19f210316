// The one way to the server: the official client's parts, joined as `createClient` joins them.
// Taking auth and tables without the rest saves 24 kB of the first load; files are in `storage.ts`.
import { AuthClient, GoTrueAdminApi } from '@supabase/auth-js';
import { PostgrestClient } from '@supabase/postgrest-js';

import { config } from '~/lib/config';
import { suspectServer } from '~/lib/connection';
import type { Database } from '~/lib/tables';

const STORAGE_KEY = 'portaria-auth';

export type Server = ReturnType<typeof connect>;

let connected: Server | undefined;

/** The connection; made on the first call, which must come after `loadConfig`. */
export function server(): Server {
  connected ??= connect();
  return connected;
}

/** Whether a session is still kept here: the client lets go of one that the server refused, not of one it could not renew. */
export function isSessionKept(): boolean {
  return localStorage.getItem(STORAGE_KEY) !== null;
}

/** The bearer token of the person signed in, or the anonymous key. */
export async function bearer(): Promise<string> {
  const { data } = await server().auth.getSession();
  return data.session?.access_token ?? config().anon_key;
}

function connect() {
  const apikey = config().anon_key;
  const headers = { apikey };
  return {
    auth: new AuthClient({
      url: `${location.origin}/auth/v1`,
      headers: { apikey, Authorization: `Bearer ${apikey}` },
      storageKey: STORAGE_KEY,
    }),
    /**
     * Account administration. The official client sends its static headers here, which would be the
     * anonymous key; `fetchAsUser` carries the administrator's own token instead, and no privileged
     * key ever reaches a browser.
     */
    admin: new GoTrueAdminApi({ url: `${location.origin}/auth/v1`, headers, fetch: fetchAsUser }),
    rest: new PostgrestClient<Database>(`${location.origin}/rest/v1`, {
      headers,
      fetch: fetchAsUser,
      // The query cache tries again; twice over, a person would wait half a minute to hear of a failure.
      retry: false,
    }),
  };
}

/** Carries the bearer's token; every call to tables, files and accounts goes through here. */
export async function fetchAsUser(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers);
  headers.set('Authorization', `Bearer ${await bearer()}`);
  const response = await fetch(input, { ...init, headers }).catch((error: unknown) => {
    if (!init?.signal?.aborted) suspectServer();
    throw error;
  });
  if (response.status >= 502) suspectServer();
  if (response.status === 401) await dropDeadSession();
  return response;
}

/** A refused token may belong to a session that was ended elsewhere: then this browser is signed out too. */
async function dropDeadSession(): Promise<void> {
  const { auth } = server();
  const { data } = await auth.getSession();
  if (!data.session) return;
  const { error } = await auth.getUser();
  if (error && (error.status === 401 || error.status === 403)) await auth.signOut({ scope: 'local' });
}
