import { expect, test, vi } from 'vitest';

import { describeDueDate, holidayName, isPaidInTime } from './days-off';

vi.mock('~/lib/api/server-config', () => ({
  serverConfig: () => ({
    time_zone: 'America/Sao_Paulo',
    holidays: [
      { on: '2026-11-20', name: 'Consciência Negra' },
      { on: '2026-11-23', name: 'Aniversário da cidade' },
    ],
    day_off_rules: { das: 'later', darf: 'earlier' },
  }),
}));

test.each([
  ['2026-11-19T23:59:59-03:00', 'das', undefined],
  [
    '2026-11-20T23:59:59-03:00',
    'das',
    '20/11 é feriado (Consciência Negra). O prazo prorroga: pague até 24/11/2026.',
  ],
  ['2026-11-22T23:59:59-03:00', 'darf', '22/11 é domingo. O prazo antecipa: pague até 19/11/2026.'],
  ['2026-11-28', 'iss', '28/11 é sábado. Veja no documento se o prazo antecipa ou prorroga.'],
  ['2026-11-15T23:59:59-03:00', 'darf', '15/11 é domingo. O prazo antecipa: era até 13/11/2026.'],
  [null, 'das', undefined],
])('due date %s of %s', (due, category, expected) => {
  expect(describeDueDate(due, category, new Date('2026-11-18T12:00:00-03:00'))).toBe(expected);
});

test('document whose due date moved is paid in time until the next business day', () => {
  const due = '2026-11-20T23:59:59-03:00';
  const at = (time: string) => isPaidInTime(due, 'das', new Date(time));
  expect(at('2026-11-24T23:00:00-03:00')).toBe(true);
  expect(at('2026-11-25T00:00:00-03:00')).toBe(false);
  expect(isPaidInTime(due, 'darf', new Date('2026-11-21T12:00:00-03:00'))).toBe(false);
  expect(holidayName('2026-11-23')).toBe('Aniversário da cidade');
  expect(holidayName('2026-11-24')).toBeUndefined();
});
