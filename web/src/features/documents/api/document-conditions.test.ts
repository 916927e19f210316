import { afterEach, expect, test, vi } from 'vitest';

import { type DueFilterable, whereDue, whereDueWithinWeek } from './document-conditions';

vi.mock('~/lib/api/server-config', () => ({ serverConfig: () => ({ time_zone: 'America/Sao_Paulo' }) }));

/** A query that keeps its conditions. */
function record(): DueFilterable & { conditions: string[] } {
  const conditions: string[] = [];
  const add = (operator: string) => (column: string, value: unknown) =>
    conditions.push(`${column} ${operator} ${String(value)}`);
  const [eq, is, not] = [add('eq'), add('is'), add('not')];
  return { conditions, eq, is, not, gt: add('gt'), gte: add('gte'), lt: add('lt'), lte: add('lte') };
}

afterEach(() => {
  vi.useRealTimers();
});

test('the week of the dashboard ends with the day on which the range of seven days ends', () => {
  vi.useFakeTimers({ now: new Date('2026-11-21T15:00:00Z') });
  const [dashboard, week] = [record(), record()];
  whereDueWithinWeek(dashboard);
  whereDue(week, 'week');
  expect(dashboard.conditions).toEqual([
    'expires_at gt 2026-11-21T15:00:00.000Z',
    'expires_at lt 2026-11-29T03:00:00.000Z',
  ]);
  expect(week.conditions).toContain('expires_at lt 2026-11-29T03:00:00.000Z');
});
