// MFA and passkeys of other people, for administrators.
import { queryOptions } from '@tanstack/react-query';

import { supabase } from '~/lib/api/supabase';

export const accountMfaKeys = { all: ['account-mfa'] as const };

export type AccountMfa = {
  /** Whether the account has a verified factor. */
  enabled: boolean;
  passkeys: number;
};

/** MFA and passkeys of an account. */
export function accountMfaQuery(userId: string) {
  return queryOptions({
    queryKey: [...accountMfaKeys.all, userId],
    async queryFn(): Promise<AccountMfa> {
      const [factors, passkeys] = await Promise.all([listFactors(userId), listPasskeys(userId)]);
      return { enabled: factors.some(({ status }) => status === 'verified'), passkeys: passkeys.length };
    },
    meta: { errorToast: { title: 'Erro ao buscar verificação em duas etapas' } },
  });
}

/**
 * Deletes the MFA factors and passkeys of a person, for example after the loss of a phone. The server revokes all their
 * sessions. Throws `nothing_to_reset` for a person without either.
 */
export async function resetMfa({ id: userId }: { id: string }): Promise<void> {
  const { mfa, passkey } = (await supabase()).admin;
  const [factors, passkeys] = await Promise.all([listFactors(userId), listPasskeys(userId)]);
  // Without either, the server would revoke no session.
  if (passkeys.length === 0 && !factors.some(({ status }) => status === 'verified')) {
    throw Object.assign(new Error('There is nothing to reset.'), { code: 'nothing_to_reset' });
  }
  // In sequence, because the deletion of the last factor also deletes the recovery codes.
  for (const { id } of factors) {
    // oxlint-disable-next-line no-await-in-loop -- sequential by design.
    const { error } = await mfa.deleteFactor({ userId, id });
    if (error) throw error;
  }
  for (const { id: passkeyId } of passkeys) {
    // oxlint-disable-next-line no-await-in-loop -- sequential by design.
    const { error } = await passkey.deletePasskey({ userId, passkeyId });
    if (error) throw error;
  }
}

/** Factors other than recovery codes. */
async function listFactors(userId: string) {
  const { admin } = await supabase();
  const { data, error } = await admin.mfa.listFactors({ userId });
  if (error) throw error;
  return data.factors.filter(({ factor_type: type }) => type !== 'recovery_code');
}

async function listPasskeys(userId: string) {
  const { admin } = await supabase();
  const { data, error } = await admin.passkey.listPasskeys({ userId });
  if (error) throw error;
  return data;
}
