// Requests of the signed-in user's own account.
import { queryOptions } from '@tanstack/react-query';

import { getImpersonation } from '~/lib/api/impersonation';
import { supabase } from '~/lib/api/supabase';
import { normalizePassword } from '~/lib/normalize-password';
import { paths } from '~/paths';

export type Profile = {
  fullName: string;
  email: string;
  /** Requested e-mail address that is not confirmed yet. */
  newEmail: string | null;
};

export const profileKeys = { all: ['profile'] as const };

export function profileQuery() {
  return queryOptions({
    queryKey: profileKeys.all,
    async queryFn(): Promise<Profile> {
      const impersonation = getImpersonation();
      // During impersonation the session belongs to the administrator.
      if (impersonation) {
        const { fullName, email } = impersonation.client;
        return { fullName: fullName ?? '', email, newEmail: null };
      }
      const { auth } = await supabase();
      const { data, error } = await auth.getUser();
      if (error) throw error;
      const { user } = data;
      const { data: stored } = await auth.getSession();
      // The address was confirmed in another browser, so the local session is outdated.
      if (stored.session && stored.session.user.email !== user.email) await auth.refreshSession();
      const fullName: unknown = user.user_metadata['full_name'];
      return {
        fullName: typeof fullName === 'string' ? fullName : '',
        email: user.email ?? '',
        newEmail: user.new_email ?? null,
      };
    },
  });
}

export async function updateName(fullName: string): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.updateUser({ data: { full_name: fullName } });
  if (error) throw error;
}

/**
 * Requests an e-mail change, which takes effect after the mailed links have been confirmed. A repetition sends them again.
 * Before the interval between mails has passed, it fails with `over_email_send_rate_limit`.
 */
export async function changeEmail(email: string): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.updateUser(
    { email },
    { emailRedirectTo: location.origin + paths.confirmEmail() },
  );
  if (error) throw error;
}

export type PasswordChange = { password: string; currentPassword: string; code: string };

/** Changes the password. The server revokes the user's other sessions. Empty fields are omitted. */
export async function changePassword({ password, currentPassword, code }: PasswordChange): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.updateUser({
    password: normalizePassword(password),
    ...(currentPassword !== '' && { current_password: normalizePassword(currentPassword) }),
    ...(code !== '' && { nonce: code }),
  });
  if (error) throw error;
}

/** Sends the reauthentication code, which the server may require for a password change. */
export async function sendReauthenticationCode(): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.reauthenticate();
  if (error) throw error;
}
