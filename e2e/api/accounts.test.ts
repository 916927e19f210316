// Accounts: sign-up, confirmation, recovery and change of address with the official client.

import { createClient } from '@supabase/supabase-js';
import { beforeAll, describe, expect, test } from 'vitest';

import type { Database } from '../../web/src/lib/api/database.ts';
import { ADMIN, type Portaria } from '../fixtures/server.ts';
import {
  type ApiClient,
  clientWithToken,
  createPerson,
  unwrap,
  expectOk,
  adminClient,
  signIn,
  anonClient,
} from '../helpers/api.ts';
import { followLink, hashParams, findMail } from '../helpers/mail-links.ts';
import { openServer } from './server.ts';

describe('account', () => {
  let portaria: Portaria;
  let admin: ApiClient;

  beforeAll(async () => {
    portaria = await openServer({ PORTARIA_SIGNUP: 'true', PORTARIA_MAIL_INTERVAL: '0' });
    return () => portaria.stop();
  });

  beforeAll(async () => {
    admin = await signIn(portaria, ADMIN);
  });

  test('sign-up requires a confirmed address', async () => {
    const email = 'nora@oficina.com.br';
    const password = 'senha da Nora';
    const client = anonClient(portaria);
    const { user, session } = await unwrap(
      client.auth.signUp({ email, password, options: { data: { full_name: 'Nora Lima' } } }),
    );
    expect(session).toBeNull();
    expect(user).toMatchObject({ email, user_metadata: { full_name: 'Nora Lima' } });
    expect((await client.auth.signInWithPassword({ email, password })).error).toMatchObject({
      code: 'email_not_confirmed',
    });
    await expectOk(client.auth.resend({ type: 'signup', email }));

    const opened = hashParams(await followLink((await findMail(portaria, 'confirmation', email)).link));
    expect(opened.get('type')).toBe('signup');
    await unwrap(
      client.auth.setSession({
        access_token: opened.get('access_token') ?? '',
        refresh_token: opened.get('refresh_token') ?? '',
      }),
    );
    expect((await unwrap(client.auth.getUser())).user.email_confirmed_at).toBeDefined();
    await signIn(portaria, { email, password });
  });

  test('a mailed code signs in once', async () => {
    const olga = await createPerson(portaria, admin, 'Olga Reis', 'olga@oficina.com.br');
    const client = anonClient(portaria);
    await expectOk(client.auth.signInWithOtp({ email: olga.email, options: { shouldCreateUser: false } }));
    const { code } = await findMail(portaria, 'magic_link', olga.email);
    const { user } = await unwrap(client.auth.verifyOtp({ email: olga.email, token: code, type: 'email' }));
    expect(user?.id).toBe(olga.id);
    expect((await client.from('tickets').select('id')).status).toBe(200);

    const again = await client.auth.verifyOtp({ email: olga.email, token: code, type: 'email' });
    expect(again.error).toMatchObject({ status: 403, code: 'otp_expired' });
    const unknown = await client.auth.signInWithOtp({
      email: 'ninguem@oficina.com.br',
      options: { shouldCreateUser: false },
    });
    expect(unknown.error).toMatchObject({ status: 422, code: 'otp_disabled' });
  });

  test('a recovery link lets the user set a new password', async () => {
    const paulo = await createPerson(portaria, admin, 'Paulo Dias', 'paulo@oficina.com.br');
    const client = anonClient(portaria);
    await unwrap(
      client.auth.resetPasswordForEmail(paulo.email, { redirectTo: `${portaria.url}/atualizar-senha` }),
    );
    expect(await unwrap(client.auth.resetPasswordForEmail('ninguem@oficina.com.br'))).toEqual({});
    const { link, token } = await findMail(portaria, 'recovery', paulo.email);
    expect(link).toBe(`${portaria.url}/atualizar-senha#token_hash=${token}&type=recovery`);

    const events: string[] = [];
    client.auth.onAuthStateChange((event) => events.push(event));
    await unwrap(client.auth.verifyOtp({ token_hash: token, type: 'recovery' }));
    expect(events).toContain('PASSWORD_RECOVERY');
    await unwrap(client.auth.updateUser({ password: 'senha nova do Paulo' }));
    await signIn(portaria, { email: paulo.email, password: 'senha nova do Paulo' });
  });

  test('a change of address requires confirmation from both addresses', async () => {
    const rita = await createPerson(portaria, admin, 'Rita Melo', 'rita@oficina.com.br');
    const client = await signIn(portaria, rita);
    const email = 'rita.melo@oficina.com.br';
    const { user } = await unwrap(client.auth.updateUser({ email }));
    expect(user).toMatchObject({ email: rita.email, new_email: email });

    const half = await followLink((await findMail(portaria, 'email_change', email)).link);
    expect(hashParams(half).get('message')).toMatch(/^Confirmation link accepted/);
    expect((await unwrap(client.auth.getUser())).user.email).toBe(rita.email);
    const { code } = await findMail(portaria, 'email_change', rita.email);
    const verified = await unwrap(
      client.auth.verifyOtp({ email: rita.email, token: code, type: 'email_change' }),
    );
    expect(verified.user?.email).toBe(email);
    expect((await unwrap(client.auth.getUser())).user).not.toHaveProperty('new_email');
    await signIn(portaria, { email, password: rita.password });
  });

  test('the code of the first confirmation returns no session', async () => {
    const saul = await createPerson(portaria, admin, 'Saul Pires', 'saul@oficina.com.br');
    const client = await signIn(portaria, saul);
    const email = 'saul.pires@oficina.com.br';
    await unwrap(client.auth.updateUser({ email }));
    const { code } = await findMail(portaria, 'email_change', email);
    const half = await anonClient(portaria).auth.verifyOtp({ email, token: code, type: 'email_change' });
    expect(half).toMatchObject({ error: null, data: { user: null, session: null } });
  });

  test('a mailed reauthentication code allows a change of password', async () => {
    const tais = await createPerson(portaria, admin, 'Taís Luz', 'tais@oficina.com.br');
    const client = await signIn(portaria, tais);
    await expectOk(client.auth.reauthenticate());
    const { code } = await findMail(portaria, 'reauthentication', tais.email);
    expect(code).toMatch(/^\d{6}$/);
    await unwrap(client.auth.updateUser({ password: 'outra senha', nonce: code }));
  });

  test('unsupported and invalid changes return their error codes', async () => {
    const ugo = await createPerson(portaria, admin, 'Ugo Sena', 'ugo@oficina.com.br');
    const client = await signIn(portaria, ugo);
    expect((await client.auth.updateUser({ password: ugo.password })).error).toMatchObject({
      code: 'same_password',
    });
    const weak = await client.auth.updateUser({ password: 'curta' });
    expect(weak.error).toMatchObject({ code: 'weak_password', reasons: ['length'] });
    const { claims } = await unwrap(client.auth.getClaims());
    expect(claims).toMatchObject({ sub: ugo.id, role: 'authenticated', email: ugo.email });
    expect((await unwrap(client.auth.getUserIdentities())).identities).toHaveLength(1);
  });

  test('sign-ins that are not offered answer the official error codes', async () => {
    const { auth } = anonClient(portaria);
    const phone = '+5511999999999';
    await expectRefused(auth.signInAnonymously(), 422, 'anonymous_provider_disabled');
    await expectRefused(auth.signInWithOtp({ phone }), 400, 'phone_provider_disabled');
    await expectRefused(auth.signInWithPassword({ phone, password: 'x' }), 422, 'phone_provider_disabled');
    await expectRefused(auth.signInWithSSO({ domain: 'oficina.com.br' }), 404, 'saml_provider_disabled');
    await expectRefused(auth.signInWithIdToken({ provider: 'google', token: 'x' }), 400, 'provider_disabled');
    const wallet = { chain: 'solana', message: 'x', signature: new Uint8Array([1]) } as const;
    await expectRefused(auth.signInWithWeb3(wallet), 422, 'web3_provider_disabled');

    const caue = await createPerson(portaria, admin, 'Cauê Lins', 'caue@oficina.com.br');
    const client = await signIn(portaria, caue);
    const [identity] = (await unwrap(client.auth.getUserIdentities())).identities;
    if (!identity) throw new Error('The account has no identity.');
    await expectRefused(client.auth.linkIdentity({ provider: 'google' }), 404, 'manual_linking_disabled');
    await expectRefused(client.auth.unlinkIdentity(identity), 404, 'manual_linking_disabled');
    await expectRefused(client.auth.oauth.listGrants(), 404, 'feature_disabled');
    const { oauth } = (await adminClient(portaria, admin)).auth.admin;
    await expectRefused(oauth.listClients(), 404, 'feature_disabled');
  });

  test('an invited user chooses a password by the mailed link', async () => {
    const email = 'vera@oficina.com.br';
    const api = await adminClient(portaria, admin);
    const { user } = await unwrap(
      api.auth.admin.inviteUserByEmail(email, { data: { full_name: 'Vera Cruz' } }),
    );
    expect(user).toMatchObject({ email, user_metadata: { full_name: 'Vera Cruz' } });
    expect(user.invited_at).toBeDefined();
    const client = anonClient(portaria);
    const { token } = await findMail(portaria, 'invite', email);
    await unwrap(client.auth.verifyOtp({ token_hash: token, type: 'invite' }));
    await unwrap(client.auth.updateUser({ password: 'senha da Vera' }));
    await signIn(portaria, { email, password: 'senha da Vera' });
  });

  test('a link generated with the service key signs in once', async () => {
    const yuri = await createPerson(portaria, admin, 'Yuri Paz', 'yuri@oficina.com.br');
    const api = clientWithToken(portaria, portaria.serviceRoleKey);
    const { properties, user } = await unwrap(
      api.auth.admin.generateLink({ type: 'magiclink', email: yuri.email }),
    );
    expect(user.id).toBe(yuri.id);
    expect(properties).toMatchObject({ verification_type: 'magiclink', email_otp: expect.any(String) });
    const opened = hashParams(await followLink(properties.action_link));
    expect(opened.get('type')).toBe('magiclink');
    const spent = hashParams(await followLink(properties.action_link));
    expect(spent.get('error_code')).toBe('otp_expired');
  });

  describe('with the PKCE flow', () => {
    let client: ApiClient;

    beforeAll(() => {
      const stored = new Map<string, string>();
      client = createClient<Database>(portaria.url, portaria.anonKey, {
        auth: {
          flowType: 'pkce',
          autoRefreshToken: false,
          detectSessionInUrl: false,
          storage: {
            getItem: (key) => stored.get(key) ?? null,
            setItem: (key, value) => void stored.set(key, value),
            removeItem: (key) => void stored.delete(key),
          },
        },
      });
    });

    test("a magic link's code is exchanged only with its verifier", async () => {
      const zeca = await createPerson(portaria, admin, 'Zeca Rosa', 'zeca@oficina.com.br');
      const options = { emailRedirectTo: `${portaria.url}/conta?a=b` };
      await expectOk(client.auth.signInWithOtp({ email: zeca.email, options }));
      const page = await followLink((await findMail(portaria, 'magic_link', zeca.email)).link);
      expect(page.pathname).toBe('/conta');
      expect(page.searchParams.get('a')).toBe('b');
      expect(page.hash).toBe('');

      const code = page.searchParams.get('code') ?? '';
      const stolen = await anonClient(portaria).auth.exchangeCodeForSession(code);
      expect(stolen.error).not.toBeNull();
      const { session } = await unwrap(client.auth.exchangeCodeForSession(code));
      expect(session?.user.id).toBe(zeca.id);
      expect((await client.from('tickets').select('id')).status).toBe(200);
      expect((await client.auth.signOut()).error).toBeNull();
    });

    test('sign-up and recovery exchange codes', async () => {
      const email = 'alba@oficina.com.br';
      await unwrap(client.auth.signUp({ email, password: 'senha da Alba' }));
      const page = await followLink((await findMail(portaria, 'confirmation', email)).link);
      await unwrap(client.auth.exchangeCodeForSession(page.searchParams.get('code') ?? ''));
      expect((await client.auth.signOut()).error).toBeNull();

      await unwrap(client.auth.resetPasswordForEmail(email));
      const recovery = await followLink((await findMail(portaria, 'recovery', email)).link);
      const events: string[] = [];
      client.auth.onAuthStateChange((event) => events.push(event));
      await unwrap(client.auth.exchangeCodeForSession(recovery.searchParams.get('code') ?? ''));
      expect(events).toContain('PASSWORD_RECOVERY');
      await unwrap(client.auth.updateUser({ password: 'senha nova da Alba' }));
      await signIn(portaria, { email, password: 'senha nova da Alba' });
    });
  });
});

describe('server with sign-up and without confirmation', () => {
  test('signs new users in at once and limits wrong passwords', async () => {
    const portaria = await openServer({ PORTARIA_SIGNUP: 'true', PORTARIA_AUTOCONFIRM: 'true' });
    try {
      const client = anonClient(portaria);
      const [email, password] = ['bento@oficina.com.br', 'senha do Bento'];
      const { session } = await unwrap(client.auth.signUp({ email, password }));
      expect(session).not.toBeNull();
      expect((await client.auth.signUp({ email, password })).error).toMatchObject({
        status: 422,
        code: 'user_already_exists',
      });
      for (let guess = 1; guess <= 10; guess += 1) {
        const wrong = await client.auth.signInWithPassword({ email, password: `palpite ${guess}` });
        expect(wrong.error).toMatchObject({ code: 'invalid_credentials' });
      }
      const limited = await client.auth.signInWithPassword({ email, password: 'palpite 11' });
      expect(limited.error).toMatchObject({ status: 429, code: 'over_request_rate_limit' });
    } finally {
      await portaria.stop();
    }
  });
});

async function expectRefused(
  request: Promise<{ error: unknown }>,
  status: number,
  code: string,
): Promise<void> {
  expect((await request).error).toMatchObject({ status, code });
}
