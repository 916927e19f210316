// Request that creates the first administrator, in a module apart from the session store, which every page loads.
import { parseErrorResponse } from '~/lib/api/errors';
import { serverConfig } from '~/lib/api/server-config';
import { normalizePassword } from '~/lib/normalize-password';

/** Creates the first administrator with the one-time setup token that the server printed. */
export async function createFirstAdmin(input: {
  token: string;
  full_name: string;
  email: string;
  password: string;
}): Promise<void> {
  const response = await fetch('/setup', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      apikey: serverConfig().anon_key,
      // Selects the error format of the official client.
      'X-Supabase-Api-Version': '2024-01-01',
    },
    body: JSON.stringify({ ...input, password: normalizePassword(input.password) }),
  });
  if (!response.ok) throw await parseErrorResponse(response);
}
