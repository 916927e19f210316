// Client for the portal's own API, which the Supabase client does not cover: calendar feed and data export.
import { parseErrorResponse } from './errors';
import { serverConfig } from './server-config';
import { fetchAsUser } from './supabase';

/** Sends a request to the portal API. Throws for an error status. */
export async function portalApi(path: string, init: RequestInit = {}): Promise<Response> {
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
