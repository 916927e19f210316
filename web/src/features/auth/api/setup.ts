// Requests that create the first administrator, in a module apart from the session store, which every page loads.
import { getErrorInfo, parseErrorResponse } from '~/lib/api/errors';
import { serverConfig } from '~/lib/api/server-config';
import { normalizePassword } from '~/lib/normalize-password';

/** Whether the server refuses this setup token. A request without an answer does not count as a refusal. */
export async function isSetupTokenRefused(token: string): Promise<boolean> {
  try {
    await post('/setup/check', { token });
    return false;
  } catch (error) {
    return isSetupTokenError(error);
  }
}

/** Whether the error says that the setup token was used or replaced. */
export function isSetupTokenError(error: unknown): boolean {
  return getErrorInfo(error).code === 'setup_token_invalid';
}

export type FirstAdmin = { token: string; full_name: string; email: string; password: string };

/** Creates the first administrator with the one-time setup token that the server printed. */
export async function createFirstAdmin(input: FirstAdmin): Promise<void> {
  await post('/setup', { ...input, password: normalizePassword(input.password) });
}

async function post(path: string, body: Record<string, string>): Promise<void> {
  const response = await fetch(path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      apikey: serverConfig().anon_key,
      // Selects the error format of the official client.
      'X-Supabase-Api-Version': '2024-01-01',
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw await parseErrorResponse(response);
}
