// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';

import { toUserMessage } from './error-messages';
import { db } from './postgrest';

const answer = vi.hoisted(() => ({ status: 200 }));
vi.mock('./server-config', () => ({ serverConfig: () => ({ anon_key: 'public' }) }));
vi.mock('./supabase', () => ({
  fetchAsUser: async () => Response.json({ code: '42501', message: 'permission denied' }, answer),
}));

test.each([
  [401, 'Sua sessão terminou. Entre novamente.'],
  [403, 'Você não tem permissão para isto.'],
])('a table refused with status %d has its own message', async (status, message) => {
  answer.status = status;
  const error: unknown = await db()
    .from('folders')
    .select('id')
    .throwOnError()
    .then(
      () => null,
      (thrown: unknown) => thrown,
    );
  expect(toUserMessage(error, '')).toBe(message);
});
