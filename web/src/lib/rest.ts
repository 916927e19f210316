// The tables' part of the official client, apart from the rest: the sign-in pages do without it.
import { PostgrestClient } from '@supabase/postgrest-js';

import { config } from '~/lib/config';
import { fetchAsUser } from '~/lib/supabase';
import type { Database } from '~/lib/tables';

let client: PostgrestClient<Database> | undefined;

export function rest(): PostgrestClient<Database> {
  client ??= new PostgrestClient<Database>(`${location.origin}/rest/v1`, {
    headers: { apikey: config().anon_key },
    fetch: fetchAsUser,
    // The query cache tries again; twice over, a person would wait half a minute to hear of a failure.
    retry: false,
  });
  return client;
}
