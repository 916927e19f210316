// The auth clients of the official library. The module is loaded on demand, because most pages open without it.
import { AuthClient, GoTrueAdminApi } from '@supabase/auth-js';

import { rejectWhenReadOnly } from './impersonation';
import { serverConfig } from './server-config';

export function createAuthClients(storageKey: string, fetchAsUser: typeof fetch) {
  const url = `${location.origin}/auth/v1`;
  const apikey = serverConfig().anon_key;
  return {
    auth: new AuthClient({
      url,
      headers: { apikey, Authorization: `Bearer ${apikey}` },
      storageKey,
      // Recovery codes are an experimental feature of the client.
      experimental: { recoveryCodes: true },
      // During impersonation this client still uses the administrator's token.
      fetch: async (input, init) => rejectWhenReadOnly(input, init) ?? fetch(input, init),
    }),
    /**
     * Account administration. The Supabase client expects a service key in its headers. `fetchAsUser` sends the token of
     * the administrator instead, so the browser never receives a service key.
     */
    admin: new GoTrueAdminApi({ url, headers: { apikey }, fetch: fetchAsUser }),
  };
}
