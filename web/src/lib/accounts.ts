// The official client's part for administering accounts, apart from the rest: a client's pages do without it.
import { GoTrueAdminApi } from '@supabase/auth-js';

import { config } from '~/lib/config';
import { fetchAsUser } from '~/lib/supabase';

let admin: GoTrueAdminApi | undefined;

/**
 * By itself it would send its fixed headers, which hold the anonymous key; `fetchAsUser` carries the administrator's
 * own token instead, and no privileged key ever reaches a browser.
 */
export function accounts(): GoTrueAdminApi {
  admin ??= new GoTrueAdminApi({
    url: `${location.origin}/auth/v1`,
    headers: { apikey: config().anon_key },
    fetch: fetchAsUser,
  });
  return admin;
}
