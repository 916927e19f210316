import { expect, test } from 'vitest';

import { ilikePattern, quoteFilterValue } from './postgrest-filters';

test('a search finds what was typed, wildcards included', () => {
  expect(ilikePattern(' ação ')).toBe('%ação%');
  expect(ilikePattern('100%_\\')).toBe('%100\\%\\_\\\\%');
});

test('a value inside or=(…) is fenced', () => {
  expect(quoteFilterValue('%a,b)%')).toBe('"%a,b)%"');
  expect(quoteFilterValue('diz "oi" \\')).toBe('"diz \\"oi\\" \\\\"');
});
