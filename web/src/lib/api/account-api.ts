// Client for `/account/v1`, the portal's own API, which the Supabase client does not cover.
import { parseErrorResponse } from './errors';
import { serverConfig } from './server-config';
import { fetchAsUser } from './supabase';

/** Sends a request to `/account/v1/{path}`. Throws for an error status. */
export async function accountApi(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetchAsUser(`/account/v1/${path}`, {
    ...init,
    headers: {
      apikey: serverConfig().anon_key,
      ...(typeof init.body === 'string' && { 'content-type': 'application/json' }),
    },
  });
  if (!response.ok) throw await parseErrorResponse(response);
  return response;
}
