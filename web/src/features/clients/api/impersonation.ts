// 'Ver como cliente': the server gives a token that reads what the client may read.
import { refusalIn } from '~/lib/api/errors';
import { view } from '~/lib/api/impersonation';
import { config } from '~/lib/api/server-config';
import { fetchAsUser } from '~/lib/api/supabase';

import type { Client } from './clients';

type Look = { adminId: string; client: Client; /** The page that opens. */ start: string };

export async function viewAs({ adminId, client, start }: Look): Promise<void> {
  const response = await fetchAsUser(`/auth/v1/admin/users/${client.id}/view`, {
    method: 'POST',
    headers: { apikey: config().anon_key, 'X-Supabase-Api-Version': '2024-01-01' },
  });
  if (!response.ok) throw await refusalIn(response);
  const { access_token: token }: { access_token: string } = await response.json();
  const { id, email, fullName } = client;
  view({ token, adminId, client: { id, email, fullName } }, start);
}
