import { expect, test, vi } from 'vitest';

import { lastMondays } from './trends-api';

vi.mock('~/lib/api/server-config', () => ({ serverConfig: () => ({ time_zone: 'America/Sao_Paulo' }) }));

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
