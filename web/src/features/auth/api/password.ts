// Password requests, in a module apart from the session store, which every page loads.
import { supabase } from '~/lib/api/supabase';
import { normalizePassword } from '~/lib/normalize-password';

export async function sendPasswordResetEmail(input: { email: string; redirectTo: string }): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.resetPasswordForEmail(input.email, {
    redirectTo: input.redirectTo,
  });
  if (error) throw error;
}

/** Exchanges the token of a mailed link for a session. A token is valid once. */
export async function redeemPasswordLink(tokenHash: string, type: 'recovery' | 'invite'): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.verifyOtp({ token_hash: tokenHash, type });
  if (error) throw error;
}

export async function updateUserPassword(password: string): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.updateUser({ password: normalizePassword(password) });
  if (error) throw error;
}
