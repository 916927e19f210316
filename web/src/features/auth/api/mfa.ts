// MFA requests: TOTP enrollment and verification, and recovery codes.
import { queryOptions } from '@tanstack/react-query';

import { serverConfig } from '~/lib/api/server-config';
import { supabase } from '~/lib/api/supabase';

export const mfaKeys = { all: ['second-step'] as const };

export type MfaStatus = {
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
      const { mfa } = (await supabase()).auth;
      const { data, error } = await mfa.listFactors();
      if (error) throw error;
      const factor = data.totp[0] ?? data.webauthn[0];
      if (!factor) return null;
      const recoveryCodesLeft = data.recovery_code.length > 0 ? await countRecoveryCodes() : null;
      return { since: factor.created_at, recoveryCodesLeft };
    },
    meta: { errorToast: { title: 'Erro ao buscar verificação em duas etapas' } },
  });
}

/** Types of the verified factors of the signed-in user. */
export function factorTypesQuery() {
  return queryOptions({
    queryKey: [...mfaKeys.all, 'types'],
    async queryFn(): Promise<{ hasApp: boolean; hasSecurityKey: boolean }> {
      const { auth } = await supabase();
      const { data, error } = await auth.mfa.listFactors();
      if (error) throw error;
      return { hasApp: data.totp.length > 0, hasSecurityKey: data.webauthn.length > 0 };
    },
  });
}

/** Creates a TOTP factor, which becomes active with its first verified code. Deletes earlier unverified factors. */
export async function enrollTotp(): Promise<Enrolment> {
  const { mfa } = (await supabase()).auth;
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

/**
 * Verifies the first code and generates recovery codes. Returns null if the generation failed; it can be repeated. Also
 * succeeds after a lost answer, which has activated the factor: another code would be refused.
 */
export async function confirmTotp(input: { factorId: string; code: string }): Promise<string[] | null> {
  const { auth } = await supabase();
  const { error } = await auth.mfa.challengeAndVerify(input);
  if (error) {
    const { data } = await auth.mfa.listFactors();
    if (!data?.totp.some(({ id }) => id === input.factorId)) throw error;
    // The lost answer had the tokens with the assurance level that the generation requires.
    await auth.refreshSession();
  }
  return generateRecoveryCodes(false).catch(() => null);
}

/** Generates a new set of recovery codes, which invalidates the previous set. */
export async function generateRecoveryCodes(hasCodes: boolean): Promise<string[]> {
  const { recoveryCodes } = (await supabase()).auth.mfa;
  const { data, error } = hasCodes ? await recoveryCodes.regenerate() : await recoveryCodes.generate();
  if (error) throw error;
  return data.codes;
}

/** Removes all factors of the signed-in user. */
export async function disableMfa(): Promise<void> {
  const { auth } = await supabase();
  const listed = await auth.mfa.listFactors();
  if (listed.error) throw listed.error;
  const factors = [...listed.data.totp, ...listed.data.webauthn];
  // This session loses its assurance level with the factor that it verified last.
  factors.sort((a, b) => a.updated_at.localeCompare(b.updated_at));
  for (const { id: factorId } of factors) {
    // oxlint-disable-next-line no-await-in-loop -- sequential by design.
    const { error } = await auth.mfa.unenroll({ factorId });
    if (error) throw error;
  }
  // The access token keeps the old assurance level (`aal`) until it is refreshed.
  await auth.refreshSession();
}

/** Verifies a TOTP code of one of the user's apps. The resulting session has assurance level `aal2`. */
export async function verifyTotp(code: string): Promise<void> {
  const { mfa } = (await supabase()).auth;
  const { data, error } = await mfa.listFactors();
  if (error) throw error;
  let refusal: Error = noFactor();
  for (const { id: factorId } of data.totp) {
    // oxlint-disable-next-line no-await-in-loop -- the code belongs to one of the apps.
    const shown = await mfa.challengeAndVerify({ factorId, code });
    if (!shown.error) return;
    refusal = shown.error;
    if (shown.error.code !== 'mfa_verification_failed') break;
  }
  throw refusal;
}

/** Verifies a security key. The resulting session has assurance level `aal2`. */
export async function verifySecurityKey(): Promise<void> {
  const { mfa } = (await supabase()).auth;
  const { data, error } = await mfa.listFactors();
  if (error) throw error;
  const [factor] = data.webauthn;
  if (!factor) throw noFactor();
  const shown = await mfa.webauthn.authenticate({ factorId: factor.id });
  if (shown.error) throw shown.error;
}

/** The error if another administrator has reset the factor, which also revoked this session. */
function noFactor(): Error {
  return Object.assign(new Error('There is no second step.'), { code: 'mfa_factor_not_found' });
}

/** Verifies a recovery code. Each code is valid once. */
export async function verifyRecoveryCode(code: string): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.mfa.recoveryCodes.verify({ code });
  if (error) throw error;
}

/** Ends the session before MFA is complete. Other sessions of the user stay valid. */
export async function cancelSignIn(): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.signOut({ scope: 'local' });
  if (error) throw error;
}

async function countRecoveryCodes(): Promise<number> {
  const { auth } = await supabase();
  const { data, error } = await auth.mfa.recoveryCodes.getStatus();
  if (error) throw error;
  return data.remaining;
}
