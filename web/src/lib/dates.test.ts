import { describe, expect, test, vi } from 'vitest';

import {
  addDaysToDay,
  toDay,
  daysUntil,
  expiryOf,
  formatDate,
  formatDateTime,
  formatLongDate,
  endOfMonth,
  startOfMonth,
  parseDay,
  relativeDay,
  expiringSoonRange,
  startOfDayUtc,
  toTicketTimestamp,
} from './dates';

vi.mock('~/lib/api/server-config', () => ({ serverConfig: () => ({ time_zone: 'America/Sao_Paulo' }) }));

// In UTC, 21 November 2026 in São Paulo lasts from 03:00 of that day to 03:00 of the next.
const noon = new Date('2026-11-21T15:00:00Z');
const endOf = (day: string) =>
  startOfDayUtc(addDaysToDay(day, 1)).replace('T03:00:00.000Z', 'T02:59:59+00:00');

describe('formatted dates', () => {
  test.each([
    ['2026-11-21', '21/11/2026'],
    ['2026-01-01', '01/01/2026'],
    // 23:59 and 00:01 in São Paulo.
    ['2026-11-22T02:59:00+00:00', '21/11/2026'],
    ['2026-11-22T03:01:00+00:00', '22/11/2026'],
    ['2026-11-21T04:26:16.123456+00:00', '21/11/2026'],
    [null, 'N/A'],
    [undefined, 'N/A'],
    ['', 'N/A'],
    ['ontem', 'Data inválida'],
    ['2026-13-45T00:00:00Z', 'Data inválida'],
  ])('formatDate of %s is %s', (value, expected) => {
    expect(formatDate(value)).toBe(expected);
  });

  test('formatLongDate writes the name of the month', () => {
    expect(formatLongDate('2026-11-01')).toBe('01 de novembro de 2026');
    expect(formatLongDate('2026-03-22T02:59:00Z')).toBe('21 de março de 2026');
  });

  test('formatDateTime adds the time', () => {
    expect(formatDateTime('2026-11-21T12:30:00+00:00')).toBe('21/11/2026 às 09:30');
  });
});

describe('calendar days', () => {
  test('toDay uses the time zone of the portal', () => {
    expect(toDay('2026-11-22T02:59:59+00:00')).toBe('2026-11-21');
    expect(toDay('2026-11-22T03:00:01+00:00')).toBe('2026-11-22');
    expect(toDay('2026-11-21')).toBe('2026-11-21');
  });

  test('startOfDayUtc respects former daylight saving time', () => {
    expect(startOfDayUtc('2026-11-21')).toBe('2026-11-21T03:00:00.000Z');
    expect(startOfDayUtc('2018-12-01')).toBe('2018-12-01T02:00:00.000Z');
  });

  test('parseDay rejects invalid days', () => {
    expect(parseDay('2026-02-28')).toBe('2026-02-28');
    for (const invalid of ['2026-02-30', '2026-2-8', '21/11/2026', 'hoje', '', null]) {
      expect(parseDay(invalid)).toBeUndefined();
    }
  });

  test('startOfMonth, endOfMonth and addDaysToDay cross months correctly', () => {
    expect(startOfMonth('2026-11-21')).toBe('2026-11-01');
    expect(endOfMonth('2028-02-01')).toBe('2028-02-29');
    expect(addDaysToDay('2026-12-31', 1)).toBe('2027-01-01');
  });
});

describe('expiry', () => {
  test.each([
    [null, 'none'],
    [endOf('2026-11-20'), 'expired'],
    // The day of expiry counts until its end.
    [endOf('2026-11-21'), 'today'],
    [endOf('2026-11-22'), 'soon'],
    [endOf('2026-11-28'), 'soon'],
    [endOf('2026-11-29'), 'later'],
    // The exact instant counts as expired.
    ['2026-11-21T15:00:00+00:00', 'expired'],
    ['2026-11-21T15:00:01+00:00', 'today'],
    ['nada', 'none'],
  ])('at %s is %s', (expiresAt, expiry) => {
    expect(expiryOf(expiresAt, noon)).toBe(expiry);
  });

  test('passes at midnight in the time zone of the portal', () => {
    const due = endOf('2026-11-21');
    expect(expiryOf(due, new Date('2026-11-22T02:59:00Z'))).toBe('today');
    expect(expiryOf(due, new Date('2026-11-22T03:01:00Z'))).toBe('expired');
  });

  test('daysUntil and relativeDay count calendar days', () => {
    expect(daysUntil(endOf('2026-11-24'), noon)).toBe(3);
    expect(relativeDay(endOf('2026-11-21'), noon)).toBe('hoje');
    expect(relativeDay(endOf('2026-11-22'), noon)).toBe('amanhã');
    expect(relativeDay(endOf('2026-11-24'), noon)).toBe('em 3 dias');
  });
});

test('expiringSoonRange covers seven days', () => {
  expect(expiringSoonRange(noon)).toEqual({
    after: '2026-11-21T15:00:00.000Z',
    until: '2026-11-28T15:00:00.000Z',
  });
});

test('toTicketTimestamp returns the local time', () => {
  expect(toTicketTimestamp(noon)).toBe('2026-11-21 12:00:00');
});
