import { expect, test, vi } from 'vitest';

import { addMonths, formatMonth } from './request-labels';

vi.mock('~/lib/api/server-config', () => ({ serverConfig: () => ({ time_zone: 'America/Sao_Paulo' }) }));

test('addMonths › crosses the ends of a year', () => {
  expect(addMonths('2026-11', 1)).toBe('2026-12');
  expect(addMonths('2026-12', 1)).toBe('2027-01');
  expect(addMonths('2027-01', -1)).toBe('2026-12');
  expect(addMonths('2026-11', -23)).toBe('2024-12');
});

test('formatMonth › writes the month in words', () => {
  expect(formatMonth('2026-03')).toBe('março de 2026');
});
