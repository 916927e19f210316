// Multi-factor authentication, with the official client's calls.

import { createClient } from '@supabase/supabase-js';
import { beforeAll, describe, expect, test } from 'vitest';

import { ADMIN, type Portaria } from '../fixtures/server.ts';
import { createPerson, unwrap, expectOk, adminClient, signIn } from '../helpers/api.ts';
import { totpCode, enrollMfa, type MfaSession } from '../helpers/totp.ts';
import { openServer } from './server.ts';

describe('MFA', () => {
  let portaria: Portaria;
  let helena: MfaSession;
  beforeAll(async () => {
    portaria = await openServer();
    helena = await enrollMfa(portaria);
    return () => portaria.stop();
  });

  test('lists the factor, and the session is at aal2', async () => {
    const { mfa } = helena.client.auth;
    expect(await unwrap(mfa.listFactors())).toMatchObject({
      totp: [{ id: helena.factorId, friendly_name: 'Telefone', status: 'verified' }],
      phone: [],
    });
    const level = await unwrap(mfa.getAuthenticatorAssuranceLevel());
    expect(level).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' });
    expect(level.currentAuthenticationMethods).toMatchObject([{ method: 'totp' }, { method: 'password' }]);
    await unwrap(helena.client.auth.refreshSession());
    expect(await unwrap(mfa.getAuthenticatorAssuranceLevel())).toMatchObject({ currentLevel: 'aal2' });
  });

  test('a password alone grants no administrator rights until a code is verified', async () => {
    const client = await signIn(portaria, ADMIN);
    expect(await unwrap(client.auth.mfa.getAuthenticatorAssuranceLevel())).toMatchObject({
      currentLevel: 'aal1',
      nextLevel: 'aal2',
    });
    expect(await client.from('clients').select('id')).toMatchObject({
      status: 403,
      error: { code: 'insufficient_aal' },
    });
    expect((await client.storage.from('client-documents').list()).error).toMatchObject({ statusCode: '403' });
    const api = await adminClient(portaria, client);
    expect((await api.auth.admin.listUsers()).error).toMatchObject({ code: 'insufficient_aal' });
    expect((await client.auth.updateUser({ data: { full_name: 'X' } })).error).toMatchObject({
      code: 'insufficient_aal',
    });

    const { mfa } = client.auth;
    const { factorId } = helena;
    const challenge = await unwrap(mfa.challenge({ factorId }));
    expect(challenge.type).toBe('totp');
    const wrong = await mfa.verify({ factorId, challengeId: challenge.id, code: '000000' });
    expect(wrong.error).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
    const code = totpCode(helena.secret, 1);
    const { user } = await unwrap(mfa.verify({ factorId, challengeId: challenge.id, code }));
    expect(user.factors).toMatchObject([{ factor_type: 'totp', status: 'verified' }]);
    expect((await client.from('clients').select('id')).status).toBe(200);
    const again = await mfa.challengeAndVerify({ factorId, code });
    expect(again.error).toMatchObject({ code: 'mfa_verification_failed' });
  });

  test('recovery codes are generated, used once and replaced', async () => {
    const { recoveryCodes } = helena.client.auth.mfa;
    expect((await recoveryCodes.getStatus()).error).toMatchObject({ code: 'mfa_factor_not_found' });
    const { codes } = await unwrap(recoveryCodes.generate({ friendlyName: 'Papel' }));
    expect(codes).toHaveLength(10);
    const [code = ''] = codes;
    const events: string[] = [];
    helena.client.auth.onAuthStateChange((event) => events.push(event));
    await unwrap(recoveryCodes.verify({ code: code.toUpperCase() }));
    expect(events).toContain('MFA_CHALLENGE_VERIFIED');
    expect((await recoveryCodes.verify({ code })).error).toMatchObject({ code: 'mfa_verification_failed' });
    expect(await unwrap(recoveryCodes.getStatus())).toMatchObject({ total: 10, remaining: 9 });
    expect((await unwrap(recoveryCodes.regenerate())).codes).not.toContain(code);
    expect((await unwrap(helena.client.auth.mfa.listFactors())).recovery_code).toHaveLength(1);
  });

  test('enrollment needs a session', async () => {
    const client = createClient(portaria.url, portaria.anonKey, { auth: { persistSession: false } });
    const { error } = await client.auth.mfa.enroll({ factorType: 'totp' });
    expect(error).toMatchObject({ status: 401, code: 'no_authorization' });
    expect(error?.message).toContain('Bearer token');
  });

  test('a client enrolls, needs the code from then on, and can disable it', async () => {
    const person = await createPerson(portaria, helena.client, 'Caio Melo', 'caio@oficina.com.br');
    const caio = await enrollMfa(portaria, person);
    await expectOk(caio.client.from('documents').select('id'));
    const { codes } = await unwrap(caio.client.auth.mfa.recoveryCodes.generate());

    const client = await signIn(portaria, person);
    const { mfa } = client.auth;
    expect(await unwrap(mfa.getAuthenticatorAssuranceLevel())).toMatchObject({
      currentLevel: 'aal1',
      nextLevel: 'aal2',
    });
    expect(await client.from('documents').select('id')).toMatchObject({
      status: 403,
      error: { code: 'insufficient_aal' },
    });
    await unwrap(mfa.challengeAndVerify({ factorId: caio.factorId, code: totpCode(caio.secret, 1) }));
    await expectOk(client.from('documents').select('id'));
    expect(await unwrap(mfa.getAuthenticatorAssuranceLevel())).toMatchObject({ currentLevel: 'aal2' });

    await unwrap(caio.client.auth.mfa.recoveryCodes.verify({ code: codes[0] ?? '' }));
    expect(await unwrap(mfa.unenroll({ factorId: caio.factorId }))).toEqual({ id: caio.factorId });
    expect((await unwrap(mfa.listFactors())).all).toEqual([]);
    const afterwards = await signIn(portaria, person);
    await expectOk(afterwards.from('documents').select('id'));
  });

  test('the office resets the factor of a client, who is signed out and receives a mail', async () => {
    const person = await createPerson(portaria, helena.client, 'Lia Nunes', 'lia@oficina.com.br');
    const lia = await enrollMfa(portaria, person);
    const { mfa } = (await adminClient(portaria, helena.client)).auth.admin;
    await expectOk(mfa.deleteFactor({ userId: person.id, id: lia.factorId }));
    expect((await lia.client.auth.getUser()).error).not.toBeNull();
    const mails = (await portaria.mails()).filter(({ recipient }) => recipient === person.email);
    expect(mails.map(({ event }) => event)).toContain('second_step_off');
    const afterwards = await signIn(portaria, person);
    await expectOk(afterwards.from('documents').select('id'));
  });

  test('another administrator resets it, and its owner disables it', async () => {
    const admin = helena.client;
    const person = await createPerson(portaria, admin, 'Rui Prado', 'rui@escritorio.com.br');
    const api = await adminClient(portaria, admin);
    await unwrap(api.auth.admin.updateUserById(person.id, { app_metadata: { roles: ['admin'] } }));
    const rui = await enrollMfa(portaria, person);
    const { factors } = await unwrap(api.auth.admin.mfa.listFactors({ userId: person.id }));
    expect(factors).toMatchObject([{ id: rui.factorId, factor_type: 'totp' }]);
    await expectOk(api.auth.admin.mfa.deleteFactor({ userId: person.id, id: rui.factorId }));
    expect((await unwrap(api.auth.admin.mfa.listFactors({ userId: person.id }))).factors).toEqual([]);
    expect((await rui.client.auth.getUser()).error).not.toBeNull();
    const afterReset = await signIn(portaria, person);
    expect((await expectOk(afterReset.from('clients').select('id'))).status).toBe(200);

    // Recovery codes are deleted with the authenticator app.
    const { mfa } = admin.auth;
    expect(await unwrap(mfa.unenroll({ factorId: helena.factorId }))).toEqual({ id: helena.factorId });
    expect((await unwrap(mfa.listFactors())).all).toEqual([]);
    await unwrap(admin.auth.refreshSession());
    expect(await unwrap(mfa.getAuthenticatorAssuranceLevel())).toMatchObject({
      currentLevel: 'aal1',
      nextLevel: 'aal1',
    });
    expect((await admin.from('clients').select('id')).status).toBe(200);
  });
});
