// The PostgREST client. It is a separate module, so the sign-in pages do not load it.
import { PostgrestClient } from '@supabase/postgrest-js';

import type { Database } from './database';
import { serverConfig } from './server-config';
import { fetchAsUser } from './supabase';

let client: PostgrestClient<Database> | undefined;

export function db(): PostgrestClient<Database> {
  client ??= new PostgrestClient<Database>(`${location.origin}/rest/v1`, {
    headers: { apikey: serverConfig().anon_key },
    fetch: fetchRows,
    // The query client retries. Retries here too would delay an error message by half a minute.
    retry: false,
  });
  return client;
}

/**
 * `fetchAsUser` with the code of an ended session for every response with status 401, since the errors of the client
 * lack the status. A request without a session has the code of a missing permission otherwise.
 */
async function fetchRows(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetchAsUser(input, init);
  if (response.status !== 401) return response;
  return Response.json({ code: 'no_authorization', message: 'The session has ended.' }, { status: 401 });
}
