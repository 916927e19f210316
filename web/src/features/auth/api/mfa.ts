// MFA requests: TOTP enrollment and verification, and recovery codes.
import { queryOptions } from '@tanstack/react-query';

import { serverConfig } from '~/lib/api/server-config';
import { supabase } from '~/lib/api/supabase';

export const mfaKeys = { all: ['second-step'] as const };

export type MfaStatus = {
  factorId: string;
  since: string;
  /** Number of unused recovery codes, null if none were generated. */
  recoveryCodesLeft: number | null;
};

export type Enrolment = {
  factorId: string;
  /** Data URL of the QR code image. */
  qrCode: string;
  secret: string;
};

const NAME = 'Aplicativo autenticador';

/** MFA status of the signed-in user, null without a verified factor. */
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

/** Creates a TOTP factor, which becomes active with its first verified code. Deletes earlier unverified factors. */
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

/** Verifies the first code and generates recovery codes. Returns null if the generation failed; it can be repeated. */
export async function confirmTotp(input: { factorId: string; code: string }): Promise<string[] | null> {
  const { error } = await supabase().auth.mfa.challengeAndVerify(input);
  if (error) throw error;
  return generateRecoveryCodes(false).catch(() => null);
}

/** Generates a new set of recovery codes, which invalidates the previous set. */
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
  // The access token keeps the old assurance level (`aal`) until it is refreshed.
  await auth.refreshSession();
}

/** Verifies a TOTP code. The resulting session has assurance level `aal2`. */
export async function verifyTotp(code: string): Promise<void> {
  const { mfa } = supabase().auth;
  const { data, error } = await mfa.listFactors();
  if (error) throw error;
  const [factor] = data.totp;
  // Another administrator has reset the factor, which also revoked this session.
  if (!factor) throw Object.assign(new Error('There is no second step.'), { code: 'mfa_factor_not_found' });
  const shown = await mfa.challengeAndVerify({ factorId: factor.id, code });
  if (shown.error) throw shown.error;
}

/** Verifies a recovery code. Each code is valid once. */
export async function verifyRecoveryCode(code: string): Promise<void> {
  const { error } = await supabase().auth.mfa.recoveryCodes.verify({ code });
  if (error) throw error;
}

/** Ends the session before MFA is complete. Other sessions of the user stay valid. */
export async function cancelSignIn(): Promise<void> {
  const { error } = await supabase().auth.signOut({ scope: 'local' });
  if (error) throw error;
}

async function countRecoveryCodes(): Promise<number> {
  const { data, error } = await supabase().auth.mfa.recoveryCodes.getStatus();
  if (error) throw error;
  return data.remaining;
}
