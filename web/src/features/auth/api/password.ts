// A new password, and the mailed link that leads to one. Apart from the session, which every page loads.
import { server } from '~/lib/api/supabase';
import { composed } from '~/lib/normalize-password';

export async function sendPasswordResetEmail(input: { email: string; redirectTo: string }): Promise<void> {
  const { error } = await server().auth.resetPasswordForEmail(input.email, { redirectTo: input.redirectTo });
  if (error) throw error;
}

/** Trades the token of a mailed link for a session. A token serves once, so this is done only when it is needed. */
export async function spendPasswordLink(tokenHash: string, type: 'recovery' | 'invite'): Promise<void> {
  const { error } = await server().auth.verifyOtp({ token_hash: tokenHash, type });
  if (error) throw error;
}

export async function updateUserPassword(password: string): Promise<void> {
  const { error } = await server().auth.updateUser({ password: composed(password) });
  if (error) throw error;
}
