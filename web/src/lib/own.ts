// The portal's own interface, beside those that the official client speaks: a person's calendar and their data.
import { config } from '~/lib/config';
import { fetchAsUser } from '~/lib/supabase';

/** An answer that went well; a refusal is thrown with its code, as the other interfaces throw theirs. */
export async function own(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetchAsUser(`/own/v1/${path}`, { ...init, headers: { apikey: config().anon_key } });
  if (response.ok) return response;
  const said: { code?: string; message?: string } = await response.json().catch(() => ({}));
  throw Object.assign(new Error(said.message ?? `${path} answered ${response.status}`), {
    code: said.code,
    status: response.status,
  });
}
