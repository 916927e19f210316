// MFA of other people, for administrators.
import { queryOptions } from '@tanstack/react-query';

import { supabase } from '~/lib/api/supabase';

export const accountMfaKeys = { all: ['account-mfa'] as const };

/** Whether an account has a verified authenticator app. */
export function accountMfaQuery(userId: string) {
  return queryOptions({
    queryKey: [...accountMfaKeys.all, userId],
    async queryFn(): Promise<boolean> {
      const { data, error } = await supabase().admin.mfa.listFactors({ userId });
      if (error) throw error;
      return data.factors.some(({ factor_type: type, status }) => type === 'totp' && status === 'verified');
    },
    meta: { errorToast: { title: 'Erro ao buscar verificação em duas etapas' } },
  });
}

/** Deletes the MFA factors of a person, for example after the loss of a phone. The server revokes all their sessions. */
export async function resetMfa({ id }: { id: string }): Promise<void> {
  const { mfa } = supabase().admin;
  const { data, error } = await mfa.listFactors({ userId: id });
  if (error) throw error;
  for (const factor of data.factors.filter(({ factor_type: type }) => type === 'totp')) {
    // In sequence, because the deletion of the last factor also deletes the recovery codes.
    // oxlint-disable-next-line no-await-in-loop -- sequential by design.
    const removed = await mfa.deleteFactor({ userId: id, id: factor.id });
    if (removed.error) throw removed.error;
  }
}
