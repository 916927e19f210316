// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from 'vitest';

import type { User } from '~/features/auth/session';

import { authMiddleware, signOutAndClearDrafts } from './auth-middleware';

const FROM_KEY = 'portaria-from';
const client: User = {
  id: 'ana',
  email: 'ana@padaria.com.br',
  fullName: 'Ana',
  isAdmin: false,
  pendingStep: null,
};
const current = vi.hoisted((): { user: object | null } => ({ user: null }));
vi.mock('~/features/auth/session', () => ({
  session: { get: () => current },
  sessionReady: async () => {},
  async signOut() {
    current.user = null;
  },
}));

/** Navigates as the router does. Returns the address of the redirect. */
async function navigate(address: string): Promise<string | null> {
  location.href = new URL(address, location.origin).href;
  // The router removes the fragment.
  const request = new Request(new URL(address.split('#')[0] ?? '', location.origin));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the middleware reads the request only.
  const args = { request } as Parameters<typeof authMiddleware>[0];
  try {
    await authMiddleware(args, async () => {});
    return null;
  } catch (redirect) {
    return redirect instanceof Response ? redirect.headers.get('Location') : null;
  }
}

beforeEach(async () => {
  current.user = client;
  await navigate('/calendar');
});

test.each([
  ['/perfil?aba=1#avisos', '/perfil?aba=1#avisos'],
  ['/perfil#access_token=abc', '/perfil'],
])('after the end of a session, %s is remembered as %s', async (address, remembered) => {
  current.user = null;
  expect(await navigate(address)).toBe('/login');
  expect(sessionStorage.getItem(FROM_KEY)).toBe(remembered);
});

test('a page that is reached by going back after a sign-out is not remembered for the next person', async () => {
  await signOutAndClearDrafts();
  expect(await navigate('/calendar')).toBe('/login');
  await navigate('/login');
  expect(await navigate('/calendar')).toBe('/login');
  expect(sessionStorage.getItem(FROM_KEY)).toBeNull();
  current.user = client;
  expect(await navigate('/login')).toBe('/');
});
