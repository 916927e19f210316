// Confirmation of an e-mail change with the token of a mailed link.
import { supabase } from '~/lib/api/supabase';

/** Confirms one of the two addresses. Returns whether the change is complete; the person is then signed in. */
export async function confirmEmailWithLink(tokenHash: string): Promise<boolean> {
  const { auth } = await supabase();
  const { data, error } = await auth.verifyOtp({ token_hash: tokenHash, type: 'email_change' });
  if (error) throw error;
  return data.session !== null;
}
