import { expect, test } from 'vitest';

import { formatDecimal, formatMoney } from './money';

test('spreadsheets read an amount as a number', () => {
  expect([5, 22_200, 123_456].map(formatDecimal)).toEqual(['0,05', '222,00', '1234,56']);
});

test.each([
  [0, 'R$\u00a00,00'],
  [5, 'R$\u00a00,05'],
  [123_456, 'R$\u00a01.234,56'],
  [100_000_000, 'R$\u00a01.000.000,00'],
])('%d cents', (cents, expected) => expect(formatMoney(cents)).toBe(expected));
