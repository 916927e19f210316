// 'Ver como cliente': the server gives a token that reads what the client may read.
import { config } from '~/lib/config';
import { fetchAsUser } from '~/lib/supabase';
import { view } from '~/lib/viewing';

import type { Client } from './clients';

type Look = { adminId: string; client: Client; /** The page that opens. */ start: string };

export async function viewAs({ adminId, client, start }: Look): Promise<void> {
  const response = await fetchAsUser(`/auth/v1/admin/users/${client.id}/view`, {
    method: 'POST',
    headers: { apikey: config().anon_key, 'X-Supabase-Api-Version': '2024-01-01' },
  });
  const said: { access_token?: string; code?: string; message?: string } = await response
    .json()
    .catch(() => ({}));
  if (!response.ok || said.access_token === undefined) {
    throw Object.assign(new Error(said.message ?? `view answered ${response.status}`), {
      code: said.code,
      status: response.status,
    });
  }
  const { id, email, fullName } = client;
  view({ token: said.access_token, adminId, client: { id, email, fullName } }, start);
}
