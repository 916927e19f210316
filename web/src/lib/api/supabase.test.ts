// @vitest-environment happy-dom
import { AuthApiError, AuthRetryableFetchError, AuthSessionMissingError } from '@supabase/auth-js';
import { beforeEach, expect, test, vi } from 'vitest';

import { fetchAsUser, getAccessToken, readStoredSession } from './supabase';

const auth = vi.hoisted(() => ({
  onAuthStateChange: vi.fn<() => void>(),
  getSession: vi.fn<() => Promise<{ data: { session: object | null | undefined } }>>(),
  refreshSession: vi.fn<() => Promise<{ error: unknown }>>(),
  signOut: vi.fn<() => void>(),
}));
vi.mock('./auth-client', () => ({ createAuthClients: () => ({ auth }) }));
vi.mock('./server-config', () => ({ serverConfig: () => ({ anon_key: 'public' }) }));

const KEY = 'portaria-auth';

function store(lifetimeSeconds: number, access_token = 'token'): void {
  const expires_at = Math.floor(Date.now() / 1_000) + lifetimeSeconds;
  localStorage.setItem(KEY, JSON.stringify({ access_token, expires_at }));
}

/** A server that accepts one access token. Returns the tokens of the requests. */
function acceptOnly(accepted: string): (string | null)[] {
  const sent: (string | null)[] = [];
  vi.stubGlobal('fetch', async (_: unknown, init: RequestInit) => {
    const token = new Headers(init.headers).get('Authorization');
    sent.push(token);
    return new Response(null, { status: token === `Bearer ${accepted}` ? 200 : 401 });
  });
  return sent;
}

beforeEach(() => {
  vi.unstubAllGlobals();
  vi.resetAllMocks();
  auth.getSession.mockImplementation(async () => ({ data: { session: readStoredSession() ?? null } }));
  localStorage.clear();
  location.hash = '';
});

test('a fresh stored session is read without the auth client', async () => {
  store(600);
  expect(readStoredSession()?.access_token).toBe('token');
  expect(await getAccessToken()).toBe('token');
});

test('without a stored session there is none', () => {
  expect(readStoredSession()).toBeNull();
});

test.each([
  ['about to expire', () => store(60)],
  ['expired', () => store(-60)],
  ['damaged', () => localStorage.setItem(KEY, '{')],
])('a session that is %s is left to the auth client', (_, prepare) => {
  prepare();
  expect(readStoredSession()).toBeUndefined();
});

test('a session in the fragment of a mailed link is left to the auth client', () => {
  store(600);
  location.hash = '#access_token=other&refresh_token=x&type=signup';
  expect(readStoredSession()).toBeUndefined();
});

test('an expired token that counts as fresh is renewed, and its requests are repeated', async () => {
  store(600);
  const sent = acceptOnly('renewed');
  auth.refreshSession.mockImplementation(async () => {
    store(600, 'renewed');
    return { error: null };
  });
  const answers = await Promise.all([fetchAsUser('/rest/v1/a'), fetchAsUser('/rest/v1/b')]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(sent).toEqual(['Bearer token', 'Bearer token', 'Bearer renewed', 'Bearer renewed']);
  expect(auth.signOut).not.toHaveBeenCalled();
});

test('a token that another tab has renewed is not renewed again', async () => {
  store(600);
  acceptOnly('renewed');
  auth.getSession.mockImplementation(async () => {
    store(600, 'renewed');
    return { data: { session: readStoredSession() } };
  });
  expect((await fetchAsUser('/rest/v1/a')).status).toBe(200);
  expect(auth.refreshSession).not.toHaveBeenCalled();
});

test.each([
  ['that was ended elsewhere', new AuthApiError('', 400, 'refresh_token_not_found'), true],
  ['that is no longer stored', new AuthSessionMissingError(), true],
  ['that the network keeps from renewal', new AuthRetryableFetchError('', 0), false],
  ['that the server cannot renew now', new AuthRetryableFetchError('', 503), false],
])('a rejected token of a session %s', async (_, error, isSignedOut) => {
  acceptOnly('other');
  if (!(error instanceof AuthSessionMissingError)) store(600);
  auth.refreshSession.mockResolvedValue({ error });
  const { status } = await fetchAsUser('/rest/v1/a');
  expect(status).toBe(401);
  expect(auth.signOut).toHaveBeenCalledTimes(isSignedOut ? 1 : 0);
});
