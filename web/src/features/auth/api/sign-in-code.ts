// Requests of the sign-in by a mailed code.
import { getErrorInfo } from '~/lib/api/errors';
import { supabase } from '~/lib/api/supabase';
import { paths } from '~/paths';

/** Mails a code, if the address has an account. The answer is the same without one. */
export async function sendSignInCode(email: string): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.signInWithOtp({
    email,
    options: { shouldCreateUser: false, emailRedirectTo: location.origin + paths.signInCode() },
  });
  // Where anybody may sign up, the server names an address without an account.
  if (error && getErrorInfo(error).code !== 'otp_disabled') throw error;
}

export async function signInWithCode(input: { email: string; code: string }): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.verifyOtp({ email: input.email, token: input.code, type: 'email' });
  // The code of this error is also that of a mailed link.
  if (error && getErrorInfo(error).code === 'otp_expired')
    throw Object.assign(error, { code: 'code_refused' });
  if (error) throw error;
}

/** Signs in with the token of the link beside the code. */
export async function signInWithLink(tokenHash: string): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.verifyOtp({ token_hash: tokenHash, type: 'magiclink' });
  if (error) throw error;
}
