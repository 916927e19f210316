import { describe, expect, test } from 'vitest';

import { formatInteger, formatDecimal, formatSize, pluralize } from './format';

describe('number formatting agrees with Intl.NumberFormat for pt-BR', () => {
  test.each([0, 7, 999, 1_000, 1_204, 100_000, 1_234_567, 1_000_000_000])('%s', (value) => {
    expect(formatInteger(value)).toBe(new Intl.NumberFormat('pt-BR').format(value));
  });

  test.each([0, 0.04, 0.06, 2.4, 3, 9.96, 999.94, 1_204.3])('%s, to one decimal', (value) => {
    const expected = new Intl.NumberFormat('pt-BR', { maximumFractionDigits: 1 }).format(value);
    expect(formatDecimal(value)).toBe(expected);
  });
});

test('pluralize chooses the form by the number', () => {
  expect(pluralize(1, 'documento', 'documentos')).toBe('1 documento');
  expect(pluralize(1204, 'documento', 'documentos')).toBe('1.204 documentos');
});

test('formatSize uses steps of 1024', () => {
  expect(formatSize(1)).toBe('1 byte');
  expect(formatSize(1023)).toBe('1.023 bytes');
  expect(formatSize(1536)).toBe('1,5 kB');
  expect(formatSize(10 * 1024 ** 2)).toBe('10 MB');
});
