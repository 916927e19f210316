import { expect, test, vi } from 'vitest';

import { parseLocalTime } from './local-time';

vi.mock('~/lib/api/server-config', () => ({ serverConfig: () => ({ time_zone: 'America/Sao_Paulo' }) }));

test('parseLocalTime reads the time of the portal, not of the browser', () => {
  expect(parseLocalTime('2026-11-21T09:30')?.toISOString()).toBe('2026-11-21T12:30:00.000Z');
  expect(parseLocalTime('2026-02-30T09:30')).toBeUndefined();
  expect(parseLocalTime('')).toBeUndefined();
});
