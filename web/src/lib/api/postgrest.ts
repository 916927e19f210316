// The PostgREST client. It is a separate module, so the sign-in pages do not load it.
import { PostgrestClient } from '@supabase/postgrest-js';

import type { Database } from './database';
import { serverConfig } from './server-config';
import { fetchAsUser } from './supabase';

let client: PostgrestClient<Database> | undefined;

export function db(): PostgrestClient<Database> {
  client ??= new PostgrestClient<Database>(`${location.origin}/rest/v1`, {
    headers: { apikey: serverConfig().anon_key },
    fetch: fetchAsUser,
    // The query client retries. Retries here too would delay an error message by half a minute.
    retry: false,
  });
  return client;
}
