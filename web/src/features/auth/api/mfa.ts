// An administrator's second step: the authenticator app, and the codes on paper for when it is lost.
import { queryOptions } from '@tanstack/react-query';

import { serverConfig } from '~/lib/api/server-config';
import { supabase } from '~/lib/api/supabase';

export const mfaKeys = { all: ['second-step'] as const };

export type MfaStatus = {
  factorId: string;
  since: string;
  /** How many codes on paper are left; null if none were ever made. */
  recoveryCodesLeft: number | null;
};

export type Enrolment = {
  factorId: string;
  /** The address of a drawing. */
  qrCode: string;
  secret: string;
};

const NAME = 'Aplicativo autenticador';

/** What the person signed in has; null without a second step. */
export function mfaStatusQuery() {
  return queryOptions({
    queryKey: mfaKeys.all,
    async queryFn(): Promise<MfaStatus | null> {
      const { mfa } = supabase().auth;
      const { data, error } = await mfa.listFactors();
      if (error) throw error;
      const [factor] = data.totp;
      if (!factor) return null;
      const recoveryCodesLeft = data.recovery_code.length > 0 ? await countRecoveryCodes() : null;
      return { factorId: factor.id, since: factor.created_at, recoveryCodesLeft };
    },
    meta: { errorToast: { title: 'Erro ao buscar verificação em duas etapas' } },
  });
}

/** A new secret. It counts once its first code was shown; what was begun before and never finished is given up. */
export async function enrollTotp(): Promise<Enrolment> {
  const { mfa } = supabase().auth;
  const listed = await mfa.listFactors();
  if (listed.error) throw listed.error;
  const unfinished = listed.data.all.filter(({ status }) => status === 'unverified');
  const given = await Promise.all(unfinished.map(({ id }) => mfa.unenroll({ factorId: id })));
  for (const { error } of given) if (error) throw error;
  const { data, error } = await mfa.enroll({
    factorType: 'totp',
    friendlyName: NAME,
    issuer: serverConfig().product_name,
  });
  if (error) throw error;
  return { factorId: data.id, qrCode: data.totp.qr_code, secret: data.totp.secret };
}

/** Shows the first code, and gives the codes for paper; null if those could not be made, which can be made good. */
export async function confirmTotp(input: { factorId: string; code: string }): Promise<string[] | null> {
  const { error } = await supabase().auth.mfa.challengeAndVerify(input);
  if (error) throw error;
  return generateRecoveryCodes(false).catch(() => null);
}

/** Another set of codes; those of the one before are worth nothing. */
export async function generateRecoveryCodes(hasCodes: boolean): Promise<string[]> {
  const { recoveryCodes } = supabase().auth.mfa;
  const { data, error } = hasCodes ? await recoveryCodes.regenerate() : await recoveryCodes.generate();
  if (error) throw error;
  return data.codes;
}

export async function disableMfa({ factorId }: Pick<MfaStatus, 'factorId'>): Promise<void> {
  const { auth } = supabase();
  const { error } = await auth.mfa.unenroll({ factorId });
  if (error) throw error;
  // The session says what it was good for until it is renewed.
  await auth.refreshSession();
}

/** Shows the code of the app. The session that follows has everything of an administrator. */
export async function verifyTotp(code: string): Promise<void> {
  const { mfa } = supabase().auth;
  const { data, error } = await mfa.listFactors();
  if (error) throw error;
  const [factor] = data.totp;
  // It was taken by a colleague meanwhile, who ended this session with it.
  if (!factor) throw Object.assign(new Error('There is no second step.'), { code: 'mfa_factor_not_found' });
  const shown = await mfa.challengeAndVerify({ factorId: factor.id, code });
  if (shown.error) throw shown.error;
}

/** Shows one of the codes on paper, which is spent. */
export async function verifyRecoveryCode(code: string): Promise<void> {
  const { error } = await supabase().auth.mfa.recoveryCodes.verify({ code });
  if (error) throw error;
}

/** Leaves without having shown a code. Other sessions are none of this one's concern. */
export async function cancelSignIn(): Promise<void> {
  const { error } = await supabase().auth.signOut({ scope: 'local' });
  if (error) throw error;
}

async function countRecoveryCodes(): Promise<number> {
  const { data, error } = await supabase().auth.mfa.recoveryCodes.getStatus();
  if (error) throw error;
  return data.remaining;
}
