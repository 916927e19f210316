// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';

import { getAccessToken, readStoredSession } from './supabase';

const KEY = 'portaria-auth';

function store(lifetimeSeconds: number): void {
  const expires_at = Math.floor(Date.now() / 1_000) + lifetimeSeconds;
  localStorage.setItem(KEY, JSON.stringify({ access_token: 'token', expires_at }));
}

beforeEach(() => {
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
