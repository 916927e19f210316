import { expect, test } from 'vitest';

import { ilikePattern, quoteFilterValue } from './postgrest-filters';

test('ilikePattern escapes wildcards', () => {
  expect(ilikePattern(' ação ')).toBe('%ação%');
  expect(ilikePattern('100%_\\')).toBe('%100\\%\\_\\\\%');
});

test('quoteFilterValue quotes and escapes a value', () => {
  expect(quoteFilterValue('%a,b)%')).toBe('"%a,b)%"');
  expect(quoteFilterValue('diz "oi" \\')).toBe('"diz \\"oi\\" \\\\"');
});
