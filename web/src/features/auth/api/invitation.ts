// Requests about invitations.
import { parseErrorResponse } from '~/lib/api/errors';
import { serverConfig } from '~/lib/api/server-config';
import { fetchAsUser, supabase } from '~/lib/api/supabase';

/** Invites an account that never signed in, again or for the first time. */
export async function sendInvitation(email: string): Promise<void> {
  const { admin } = await supabase();
  const { error } = await admin.inviteUserByEmail(email);
  if (error) throw error;
}

/** Withdraws an invitation that is not accepted. The account stays. */
export async function withdrawInvitation(accountId: string): Promise<void> {
  const response = await fetchAsUser(`/auth/v1/invite/${accountId}`, {
    method: 'DELETE',
    headers: requestHeaders(),
  });
  if (!response.ok) throw await parseErrorResponse(response);
}

/** Mails a new invitation in place of an expired one. The token is that of the expired link. */
export async function renewInvitation(tokenHash: string): Promise<void> {
  const response = await fetch('/auth/v1/invite/renew', {
    method: 'POST',
    headers: { ...requestHeaders(), 'Content-Type': 'application/json' },
    body: JSON.stringify({ token_hash: tokenHash }),
  });
  if (!response.ok) throw await parseErrorResponse(response);
}

function requestHeaders() {
  // The version selects the error format of the official client.
  return { apikey: serverConfig().anon_key, 'X-Supabase-Api-Version': '2024-01-01' };
}
