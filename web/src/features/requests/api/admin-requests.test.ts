import { expect, test, vi } from 'vitest';

import { createItems } from './admin-requests';

const answer = vi.hoisted(() => vi.fn<(url: string, init: RequestInit) => unknown[]>());

vi.stubGlobal('location', { origin: 'http://portal.test' });
vi.mock('~/lib/api/server-config', () => ({ serverConfig: () => ({ anon_key: 'key' }) }));
vi.mock('~/lib/api/supabase', () => ({
  fetchAsUser: async (url: string, init: RequestInit) => Response.json(answer(url, init)),
}));

test('createItems counts existing items of any name, in addresses of bounded length', async () => {
  const clients = Array.from({ length: 130 }, (_, index) => `0198c0de-0000-7000-8000-${index + 1e11}`);
  const long = Array.from({ length: 60 }, (_, index) => `${'ã'.repeat(117)} ${index}`);
  const items = ['Comprovante "PIX", recibo', 'a\\b, c', ...long].map((name) => ({
    name,
    hint: null,
    month: '2026-11',
    due_on: null,
    repeats_monthly: false,
  }));
  const addresses: string[] = [];
  answer.mockImplementation((url, { method }) => {
    if (method === 'POST') return [{ id: 'known' }, { id: 'new' }];
    addresses.push(url);
    return [{ id: 'known' }];
  });
  expect(await createItems({ clients, items })).toEqual({ created: 1, existing: 1 });
  expect(addresses).toHaveLength(2);
  expect(Math.max(...addresses.map(({ length }) => length))).toBeLessThan(8192);
  expect(addresses.join()).not.toContain('PIX');
});
