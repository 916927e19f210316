// Sign-in, refresh and sign-out.

import { createClient, type Session } from '@supabase/supabase-js';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

import type { Database } from '../../web/src/lib/api/database.ts';
import type { Portaria } from '../fixtures/server.ts';
import { ADMIN } from '../fixtures/server.ts';
import {
  accessToken,
  clientWithToken,
  createPerson,
  unwrap,
  type Person,
  signIn,
  anonClient,
} from '../helpers/api.ts';
import { openServer } from './server.ts';

describe('session', () => {
  let portaria: Portaria;
  let joao: Person;

  beforeAll(async () => {
    portaria = await openServer();
    return () => portaria.stop();
  });

  beforeAll(async () => {
    joao = await createPerson(
      portaria,
      await signIn(portaria, ADMIN),
      'João da Conceição',
      'joao@padaria.com.br',
    );
  });

  test('wrong passwords and unknown addresses get the same error', async () => {
    const wrong = await anonClient(portaria).auth.signInWithPassword({
      email: joao.email,
      password: 'não é esta',
    });
    const unknown = await anonClient(portaria).auth.signInWithPassword({
      email: 'ninguem@padaria.com.br',
      password: 'não é esta',
    });
    expect(wrong.error).toMatchObject({
      status: 400,
      code: 'invalid_credentials',
      message: 'Invalid login credentials',
    });
    expect(unknown.error).toEqual(wrong.error);
  });

  test('identifies its user and role', async () => {
    const client = await signIn(portaria, { ...joao, email: joao.email.toUpperCase() });
    const { user } = await unwrap(client.auth.getUser());
    expect(user).toMatchObject({
      id: joao.id,
      email: joao.email,
      role: 'authenticated',
      user_metadata: { full_name: joao.name },
    });
    const admin = await signIn(portaria, ADMIN);
    expect((await unwrap(admin.auth.getUser())).user.app_metadata).toMatchObject({ roles: ['admin'] });
  });

  test('refreshes, and a lost refresh response can be requested again', async () => {
    const client = await signIn(portaria, joao);
    const { session: first } = await unwrap(client.auth.getSession());
    const { session: second } = await unwrap(client.auth.refreshSession());
    expect(second?.refresh_token).not.toBe(first?.refresh_token);
    expect((await client.from('tickets').select('id')).status).toBe(200);

    const other = anonClient(portaria);
    const { session: again } = await unwrap(
      other.auth.refreshSession({ refresh_token: first?.refresh_token ?? '' }),
    );
    expect(again?.refresh_token).toBe(second?.refresh_token);
  });

  describe('refresh that fails in transit', () => {
    // Statuses of servers and proxies that do not concern the token.
    const failures = [500, 501, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 528, 529, 530];
    let session: Session;

    beforeAll(async () => {
      ({ session } = await unwrap(anonClient(portaria).auth.signInWithPassword(joao)));
    });

    afterEach(() => {
      vi.useRealTimers();
      vi.restoreAllMocks();
    });

    test.each(failures)(
      'with %d keeps the session, although its access token has expired',
      async (status) => {
        // The library logs the failed refresh.
        vi.spyOn(console, 'error').mockReturnValue();
        let refreshCalls = 0;
        const client = createClient<Database>(portaria.url, portaria.anonKey, {
          auth: { persistSession: false, autoRefreshToken: false },
          global: {
            fetch: async (address, init) => {
              const request = new Request(address, init);
              if (!request.url.includes('grant_type=refresh_token')) {
                return fetch(request);
              }
              refreshCalls += 1;
              return new Response(null, { status });
            },
          },
        });
        await unwrap(client.auth.setSession(session));
        const events: string[] = [];
        client.auth.onAuthStateChange((event) => events.push(event));

        vi.useFakeTimers({ toFake: ['Date', 'setTimeout'], now: Date.now() + 2 * 3600 * 1000 });
        const refreshing = client.auth.refreshSession();
        await vi.advanceTimersByTimeAsync(60_000);
        const { error } = await refreshing;
        expect(error).toMatchObject({ name: 'AuthRetryableFetchError', status });
        expect(refreshCalls).toBeGreaterThan(1);
        vi.useRealTimers();

        expect((await unwrap(client.auth.getSession())).session?.refresh_token).toBe(session.refresh_token);
        expect(events).not.toContain('SIGNED_OUT');
        expect((await client.from('tickets').select('id')).status).toBe(200);
      },
    );
  });

  test('ends at once with a sign-out', async () => {
    const client = await signIn(portaria, joao);
    const { session } = await unwrap(client.auth.getSession());
    const token = await accessToken(client);
    expect((await clientWithToken(portaria, token).from('tickets').select('id')).status).toBe(200);

    expect((await client.auth.signOut()).error).toBeNull();
    expect((await clientWithToken(portaria, token).from('tickets').select('id')).status).toBe(401);
    expect((await anonClient(portaria).auth.getUser(token)).error).toMatchObject({
      name: 'AuthSessionMissingError',
    });
    const refreshed = await anonClient(portaria).auth.refreshSession({
      refresh_token: session?.refresh_token ?? '',
    });
    expect(refreshed.error).toMatchObject({ status: 400 });
  });

  test('ends on one device and continues on another', async () => {
    const current = await signIn(portaria, joao);
    const other = await signIn(portaria, joao);
    expect((await current.auth.signOut({ scope: 'local' })).error).toBeNull();
    expect((await other.from('tickets').select('id')).status).toBe(200);
  });

  test('a new password ends the other sessions', async () => {
    const ana = await createPerson(
      portaria,
      await signIn(portaria, ADMIN),
      'Ana Prado',
      'ana@padaria.com.br',
    );
    const current = await signIn(portaria, ana);
    const other = await signIn(portaria, ana);
    await unwrap(current.auth.updateUser({ password: 'uma senha melhor' }));
    expect((await current.from('tickets').select('id')).status).toBe(200);
    expect((await other.from('tickets').select('id')).status).toBe(401);
    await signIn(portaria, { email: ana.email, password: 'uma senha melhor' });
    const old = await anonClient(portaria).auth.signInWithPassword(ana);
    expect(old.error).toMatchObject({ code: 'invalid_credentials' });
  });
});
