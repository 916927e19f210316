// The portal's own interface, beside those that the official client speaks: a person's calendar and their data.
import { parseErrorResponse } from './errors';
import { serverConfig } from './server-config';
import { fetchAsUser } from './supabase';

/** An answer that went well; a refusal is thrown. */
export async function portalApi(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetchAsUser(`/own/v1/${path}`, {
    ...init,
    headers: { apikey: serverConfig().anon_key },
  });
  if (!response.ok) throw await parseErrorResponse(response);
  return response;
}
