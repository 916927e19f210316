// Passkeys, with the official client's calls and a software authenticator.

import { createClient } from '@supabase/supabase-js';
import { beforeAll, describe, expect, test } from 'vitest';

import type { Database } from '../../web/src/lib/api/database.ts';
import { ADMIN, type Portaria } from '../fixtures/server.ts';
import { adminClient, type ApiClient, createPerson, expectOk, signIn, unwrap } from '../helpers/api.ts';
import { Authenticator } from '../helpers/authenticator.ts';
import { openServer } from './server.ts';

describe('passkeys', () => {
  let portaria: Portaria;
  let admin: ApiClient;
  beforeAll(async () => {
    portaria = await openServer({}, 'localhost');
    admin = await signIn(portaria, ADMIN);
    return () => portaria.stop();
  });

  test('a client registers one, signs in with it, renames and removes it', async () => {
    const person = await createPerson(portaria, admin, 'Caio Melo', 'caio@oficina.com.br');
    const caio = await signIn(portaria, person);
    const device = await register(caio);
    const [passkey] = await unwrap(caio.auth.passkey.list());
    expect(passkey).toMatchObject({ friendly_name: 'Chave de acesso' });
    expect(passkey?.last_used_at).toBeUndefined();

    const client = visitor();
    const { session, user } = await unwrap(authenticate(client, device));
    expect(user?.id).toBe(person.id);
    expect(session?.user.email).toBe(person.email);
    await expectOk(client.from('documents').select('id'));
    const level = await unwrap(client.auth.mfa.getAuthenticatorAssuranceLevel());
    expect(level.currentLevel).toBe('aal2');
    expect(level.currentAuthenticationMethods).toMatchObject([{ method: 'passkey' }]);
    await unwrap(client.auth.refreshSession());
    expect(await unwrap(client.auth.mfa.getAuthenticatorAssuranceLevel())).toMatchObject({
      currentLevel: 'aal2',
    });

    const passkeyId = passkey?.id ?? '';
    const renamed = await unwrap(client.auth.passkey.update({ passkeyId, friendlyName: 'Telefone' }));
    expect(renamed.friendly_name).toBe('Telefone');
    expect((await unwrap(caio.auth.passkey.list()))[0]?.last_used_at).toBeDefined();
    await expectOk(caio.auth.passkey.delete({ passkeyId }));
    expect(await unwrap(caio.auth.passkey.list())).toEqual([]);
    expect((await client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
    expect((await authenticate(visitor(), device)).error).toMatchObject({
      status: 400,
      code: 'webauthn_verification_failed',
    });
  });

  test('a challenge serves once', async () => {
    const person = await createPerson(portaria, admin, 'Lia Nunes', 'lia@oficina.com.br');
    const device = await register(await signIn(portaria, person));
    const { auth } = visitor();
    const { challenge_id: challengeId, options } = await unwrap(auth.passkey.startAuthentication());
    await unwrap(auth.passkey.verifyAuthentication({ challengeId, credential: device.get(options) }));
    const again = await auth.passkey.verifyAuthentication({ challengeId, credential: device.get(options) });
    expect(again.error).toMatchObject({ code: 'webauthn_challenge_not_found' });
  });

  test('the office lists the passkeys of a client and removes a lost one', async () => {
    const person = await createPerson(portaria, admin, 'Rui Prado', 'rui@oficina.com.br');
    const rui = await signIn(portaria, person);
    const device = await register(rui);
    const { passkey } = (await adminClient(portaria, admin)).auth.admin;
    const [lost] = await unwrap(passkey.listPasskeys({ userId: person.id }));
    await expectOk(passkey.deletePasskey({ userId: person.id, passkeyId: lost?.id ?? '' }));
    expect(await unwrap(passkey.listPasskeys({ userId: person.id }))).toEqual([]);
    expect((await rui.auth.getUser()).error).not.toBeNull();
    expect((await authenticate(visitor(), device)).error).not.toBeNull();
    const mails = (await portaria.mails()).filter(({ recipient }) => recipient === person.email);
    expect(mails.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['passkey_added', 'passkey_removed']),
    );
  });

  test('management needs a session', async () => {
    expect((await visitor().auth.passkey.list()).error?.name).toBe('AuthSessionMissingError');
  });

  function visitor(): ApiClient {
    return createClient<Database>(portaria.url, portaria.anonKey, {
      auth: { persistSession: false, autoRefreshToken: false },
    });
  }

  async function register({ auth }: ApiClient): Promise<Authenticator> {
    const device = new Authenticator(portaria.url);
    const { challenge_id: challengeId, options } = await unwrap(auth.passkey.startRegistration());
    await unwrap(auth.passkey.verifyRegistration({ challengeId, credential: device.create(options) }));
    return device;
  }
});

test('a portal without a domain name refuses passkeys', async () => {
  const portaria = await openServer();
  const client = await signIn(portaria, ADMIN);
  expect((await client.auth.passkey.startRegistration()).error).toMatchObject({ code: 'passkey_disabled' });
  await portaria.stop();
});

async function authenticate({ auth }: ApiClient, device: Authenticator) {
  const { challenge_id: challengeId, options } = await unwrap(auth.passkey.startAuthentication());
  return auth.passkey.verifyAuthentication({ challengeId, credential: device.get(options) });
}
