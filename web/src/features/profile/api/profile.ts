// A person's own account: what the server knows of it now, and how they change it.
import { queryOptions } from '@tanstack/react-query';

import { getImpersonation } from '~/lib/api/impersonation';
import { supabase } from '~/lib/api/supabase';
import { normalizePassword } from '~/lib/normalize-password';
import { paths } from '~/paths';

export type Profile = {
  fullName: string;
  email: string;
  /** An address that was asked for and is not confirmed yet. */
  newEmail: string | null;
};

export const profileKeys = { all: ['profile'] as const };

export function profileQuery() {
  return queryOptions({
    queryKey: profileKeys.all,
    async queryFn(): Promise<Profile> {
      const seen = getImpersonation();
      // The account here is the administrator's.
      if (seen) return { fullName: seen.client.fullName ?? '', email: seen.client.email, newEmail: null };
      const { auth } = supabase();
      const { data, error } = await auth.getUser();
      if (error) throw error;
      const { user } = data;
      const { data: stored } = await auth.getSession();
      // The address was confirmed in another place: what this browser keeps of its person is out of date.
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
  const { error } = await supabase().auth.updateUser({ data: { full_name: fullName } });
  if (error) throw error;
}

/** Asks for another address. It changes when the mailed links have been opened. */
export async function changeEmail(email: string): Promise<void> {
  const { error } = await supabase().auth.updateUser({ email }, { emailRedirectTo: profileUrl() });
  if (error) throw error;
}

export async function resendEmailChange(currentEmail: string): Promise<void> {
  const { error } = await supabase().auth.resend({
    type: 'email_change',
    email: currentEmail,
    options: { emailRedirectTo: profileUrl() },
  });
  if (error) throw error;
}

export type PasswordChange = { password: string; currentPassword: string; code: string };

/** A new password; the server ends the person's other sessions. What is empty is not sent. */
export async function changePassword({ password, currentPassword, code }: PasswordChange): Promise<void> {
  const { error } = await supabase().auth.updateUser({
    password: normalizePassword(password),
    ...(currentPassword !== '' && { current_password: normalizePassword(currentPassword) }),
    ...(code !== '' && { nonce: code }),
  });
  if (error) throw error;
}

/** Mails the code that the server may ask for before it takes a new password. */
export async function sendReauthenticationCode(): Promise<void> {
  const { error } = await supabase().auth.reauthenticate();
  if (error) throw error;
}

function profileUrl(): string {
  return `${location.origin}${paths.profile()}`;
}
