// Impersonation ('Ver como cliente'): the server issues a read-only token of the client.
import { parseErrorResponse } from '~/lib/api/errors';
import { setImpersonation } from '~/lib/api/impersonation';
import { serverConfig } from '~/lib/api/server-config';
import { fetchAsUser } from '~/lib/api/supabase';

import type { Client } from './clients';

type ImpersonateInput = { adminId: string; client: Client; /** Path of the first page. */ start: string };

export async function startImpersonation({ adminId, client, start }: ImpersonateInput): Promise<void> {
  const response = await fetchAsUser(`/auth/v1/admin/users/${client.id}/view`, {
    method: 'POST',
    headers: { apikey: serverConfig().anon_key, 'X-Supabase-Api-Version': '2024-01-01' },
  });
  if (!response.ok) throw await parseErrorResponse(response);
  const { access_token: token }: { access_token: string } = await response.json();
  const { id, email, fullName } = client;
  setImpersonation({ token, adminId, client: { id, email, fullName } }, start);
}
