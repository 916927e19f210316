// The tables' part of the official client, apart from the rest: the sign-in pages do without it.
import { PostgrestClient } from '@supabase/postgrest-js';

import type { Database } from './database';
import { serverConfig } from './server-config';
import { fetchAsUser } from './supabase';

let client: PostgrestClient<Database> | undefined;

export function db(): PostgrestClient<Database> {
  client ??= new PostgrestClient<Database>(`${location.origin}/rest/v1`, {
    headers: { apikey: serverConfig().anon_key },
    fetch: fetchAsUser,
    // The query cache tries again; twice over, a person would wait half a minute to hear of a failure.
    retry: false,
  });
  return client;
}
