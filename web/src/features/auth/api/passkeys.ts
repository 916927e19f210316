// Passkey requests: registration, list, names and removal, and the sign-in.
import { queryOptions } from '@tanstack/react-query';

import { describeUserAgent, withNumber } from '~/features/profile/device-name';
import { supabase } from '~/lib/api/supabase';
import { safeLocalStorage } from '~/lib/safe-storage';

export const passkeyKeys = { all: ['passkeys'] as const };

/** Set if this browser has used a passkey of the portal. */
const USED_KEY = 'portaria-passkey';

export type Passkey = { id: string; name: string; createdAt: string; lastUsedAt: string | null };

/**
 * The passkeys of the signed-in user, oldest first. Null if MFA is required and the user, who has a passkey, has not
 * passed MFA in this session.
 */
export function passkeysQuery() {
  return queryOptions({
    queryKey: passkeyKeys.all,
    async queryFn(): Promise<Passkey[] | null> {
      const { auth } = await supabase();
      const { data, error } = await auth.passkey.list();
      if (error?.code === 'insufficient_aal') return null;
      if (error) throw error;
      return data.map(({ id, friendly_name, created_at, last_used_at }) => ({
        id,
        name: friendly_name ?? '',
        createdAt: created_at,
        lastUsedAt: last_used_at ?? null,
      }));
    },
    meta: { errorToast: { title: 'Erro ao buscar chaves de acesso' } },
  });
}

/** Registers a passkey of this device under the name of the device, with a number if one of `names` is equal. */
export async function addPasskey(names: readonly string[]): Promise<void> {
  const { auth } = await supabase();
  const { data, error } = await auth.registerPasskey();
  if (error) throw error;
  // If this fails, the passkey keeps its default name.
  await auth.passkey.update({
    passkeyId: data.id,
    friendlyName: withNumber(describeUserAgent(navigator.userAgent).name, names),
  });
  safeLocalStorage.set(USED_KEY, 'true');
  // The registration raised the assurance level (`aal`) of the session, which the access token shows after a refresh.
  await auth.refreshSession();
}

export async function renamePasskey({ id, name }: Pick<Passkey, 'id' | 'name'>): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.passkey.update({ passkeyId: id, friendlyName: name });
  if (error) throw error;
}

export async function removePasskey({ id }: Pick<Passkey, 'id'>): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.passkey.delete({ passkeyId: id });
  if (error) throw error;
  await auth.refreshSession();
}

/**
 * Signs in with a passkey that the person selects: in a dialog of the browser or, if `conditional`, in the autofill list
 * of a field. The session has assurance level `aal2` and replaces a session that waits for MFA. Returns false if another
 * ceremony interrupted this one.
 */
export async function signInWithPasskey(mediation?: 'conditional'): Promise<boolean> {
  const { auth } = await supabase();
  const { data } = await auth.getSession();
  const { error } = await auth.signInWithPasskey(mediation && { options: { mediation } });
  if (error?.code === 'ERROR_CEREMONY_ABORTED') return false;
  if (error) throw error;
  safeLocalStorage.set(USED_KEY, 'true');
  if (data.session) await auth.admin.signOut(data.session.access_token, 'local');
  return true;
}

/** Whether to offer passkeys in an autofill list. An offer costs a request, so this browser must have used one before. */
export async function canOfferPasskeys(): Promise<boolean> {
  if (!safeLocalStorage.get(USED_KEY)) return false;
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}
