// Access tokens that the official client verifies offline.

import { createClient } from '@supabase/supabase-js';
import { beforeAll, describe, expect, test } from 'vitest';

import type { Database } from '../../web/src/lib/api/database.ts';
import { ADMIN, type Portaria } from '../fixtures/server.ts';
import { accessToken, type ApiClient, createPerson, type Person, signIn, unwrap } from '../helpers/api.ts';
import { openServer } from './server.ts';

describe('signing keys', () => {
  let portaria: Portaria;
  let joao: Person;

  beforeAll(async () => {
    portaria = await openServer();
    joao = await createPerson(portaria, await signIn(portaria, ADMIN), 'João', 'joao@padaria.com.br');
    return () => portaria.stop();
  });

  /** A client that verifies tokens, and the paths that it requests. */
  function verifier(): { client: ApiClient; paths: string[] } {
    const paths: string[] = [];
    const recordingFetch: typeof fetch = (input, init) => {
      paths.push(new URL(input instanceof Request ? input.url : input).pathname);
      return fetch(input, init);
    };
    const client = createClient<Database>(portaria.url, portaria.anonKey, {
      // The library keeps one key set for each storage key.
      auth: { persistSession: false, autoRefreshToken: false, storageKey: `verifier-${Math.random()}` },
      global: { fetch: recordingFetch },
    });
    return { client, paths };
  }

  async function newToken(): Promise<string> {
    return accessToken(await signIn(portaria, joao));
  }

  test('getClaims verifies offline, through a rotation and without the server', async () => {
    const symmetric = await newToken();
    const before = verifier();
    expect((await unwrap(before.client.auth.getClaims(symmetric))).header.alg).toBe('HS256');
    expect(before.paths).toEqual(['/auth/v1/user']);

    await portaria.command('keys', 'create');
    await expect(portaria.command('keys', 'rotate')).rejects.toThrow('--now does not wait');
    await portaria.command('keys', 'rotate', '--now');
    const first = await newToken();
    const { client, paths } = verifier();
    const { claims, header } = await unwrap(client.auth.getClaims(first));
    expect(header).toMatchObject({ alg: 'ES256', kid: expect.any(String) });
    expect(claims).toMatchObject({ sub: joao.id, role: 'authenticated', email: joao.email });
    await unwrap(client.auth.getClaims(first));
    expect(paths).toEqual(['/auth/v1/.well-known/jwks.json']);

    await portaria.command('keys', 'create');
    await portaria.command('keys', 'rotate', '--now');
    const second = await newToken();
    expect((await unwrap(client.auth.getClaims(second))).header.kid).not.toBe(header.kid);
    await unwrap(client.auth.getClaims(first));
    expect(paths).toEqual(['/auth/v1/.well-known/jwks.json', '/auth/v1/.well-known/jwks.json']);
    for (const token of [symmetric, first, second]) await unwrap(client.auth.getUser(token));

    await portaria.stopServer();
    await unwrap(client.auth.getClaims(second));
    await portaria.startServer();
  });

  test('getClaims refuses a token with other claims', async () => {
    const [header, payload, signature] = (await newToken()).split('.');
    const claims = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, role: 'service_role' })).toString('base64url');
    const { client, paths } = verifier();
    const { error } = await client.auth.getClaims(`${header}.${forged}.${signature}`);
    expect(error).toMatchObject({ code: 'invalid_jwt' });
    expect(paths).toEqual(['/auth/v1/.well-known/jwks.json']);
  });

  test('a revoked key is refused by the running server', async () => {
    const old = await signIn(portaria, joao);
    const { kid } = (await unwrap(old.auth.getClaims())).header;
    await expect(portaria.command('keys', 'revoke', kid)).rejects.toThrow('keys rotate');
    await portaria.command('keys', 'create');
    await portaria.command('keys', 'rotate', '--now');
    await portaria.command('keys', 'revoke', kid, '--now');
    expect(await portaria.command('keys', 'list')).not.toContain(kid);

    await expect
      .poll(async () => (await old.auth.getUser()).error, { timeout: 10_000 })
      .toMatchObject({ code: 'bad_jwt' });
    // The session goes on with a token of the new key.
    const { session } = await unwrap(old.auth.refreshSession());
    expect((await unwrap(old.auth.getClaims(session?.access_token))).header.kid).not.toBe(kid);
  });
});
