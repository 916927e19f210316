import { expect, test, vi } from 'vitest';

import { describeDuplicate, removalWarning } from './review-labels';

vi.mock('~/lib/api/server-config', () => ({ serverConfig: () => ({ time_zone: 'America/Sao_Paulo' }) }));

const now = new Date('2026-11-25T15:00:00Z');

test.for([
  ['2026-11-20T12:00:00Z', null],
  ['2026-11-03T12:00:00Z', null],
  ['2026-11-02T12:00:00Z', 'Será removido em 7 dias'],
  ['2026-10-27T12:00:00Z', 'Será removido em 1 dia'],
  ['2026-10-26T12:00:00Z', 'Será removido na próxima noite'],
] as const)('a file of %s has the warning %s', ([created_at, warning]) => {
  expect(removalWarning({ review_group: 'doubtful', created_at }, now)).toBe(warning);
});

test('a published file stays without a warning', () => {
  expect(removalWarning({ review_group: 'published', created_at: '2026-10-20T12:00:00Z' }, now)).toBeNull();
});

const slip = { category: 'das', reference_month: '2026-11', size: 1000 };
const repeated = { ...slip, expires_at: null, amount_cents: 22_200 };

test.for([
  [{ ...repeated, size: 1200 }, 'Já existe DAS de 11/2026 deste cliente'],
  [repeated, 'Já existe um documento igual deste cliente'],
  // The same bytes under another month.
  [{ ...repeated, reference_month: '2026-10' }, 'Já existe um documento igual deste cliente'],
  [null, 'Já existe um documento igual deste cliente'],
] as const)('a file that repeats %o', ([duplicate, text]) => {
  expect(describeDuplicate({ ...slip, duplicate })).toBe(text);
});
