// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest';

import { documentKeys } from '~/features/documents/api/documents';
import { queryClient } from '~/lib/api/query-client';

import { lastMondays, weekCountsQuery } from './trends-api';

/** Answers each count with the number of the requests until then. */
const server = vi.hoisted(() => ({ requests: 0 }));

vi.mock('~/lib/api/supabase', () => ({
  async fetchAsUser() {
    server.requests += 1;
    return new Response(null, { headers: { 'content-range': `*/${server.requests}` } });
  },
}));
vi.mock('~/lib/api/server-config', () => ({
  serverConfig: () => ({ time_zone: 'America/Sao_Paulo', anon_key: '' }),
}));

afterEach(() => {
  vi.useRealTimers();
  queryClient.clear();
});

test.each([
  ['2026-11-23', '2026-11-23'],
  ['2026-11-27', '2026-11-23'],
  ['2026-11-29', '2026-11-23'],
  ['2026-11-30', '2026-11-30'],
])('the week of %s begins on %s, and the first one seven weeks before', (day, monday) => {
  const mondays = lastMondays(day);
  expect(mondays).toHaveLength(8);
  expect(mondays.at(-1)).toBe(monday);
  expect(new Set(mondays.map((value) => new Date(value).getUTCDay()))).toEqual(new Set([1]));
  expect(Date.parse(monday) - Date.parse(mondays[0] ?? '')).toBe(49 * 86_400_000);
});

/** Reads the weeks after a change of a document. */
async function readWeeks() {
  server.requests = 0;
  await queryClient.invalidateQueries({ queryKey: documentKeys.all });
  const weeks = await queryClient.fetchQuery(weekCountsQuery());
  return { requests: server.requests, weeks };
}

test('a change of a document counts the present week again, and the past weeks after an hour', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-25T12:00:00Z'), toFake: ['Date'] });
  const first = await readWeeks();
  expect(first.requests).toBe(16);
  expect(first.weeks.map(({ monday }) => monday)).toEqual(lastMondays('2026-11-25'));
  const second = await readWeeks();
  expect(second.requests).toBe(2);
  expect(second.weeks.slice(0, 7)).toEqual(first.weeks.slice(0, 7));
  expect(second.weeks.at(7)).not.toEqual(first.weeks.at(7));
  vi.setSystemTime(new Date('2026-11-25T13:00:01Z'));
  expect((await readWeeks()).requests).toBe(16);
  // The next week begins.
  vi.setSystemTime(new Date('2026-11-30T03:00:00Z'));
  expect((await readWeeks()).weeks.at(7)?.monday).toBe('2026-11-30');
});
