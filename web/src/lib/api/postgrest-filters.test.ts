import { expect, test } from 'vitest';

import { containing, quoted } from './postgrest-filters';

test('a search finds what was typed, wildcards included', () => {
  expect(containing(' ação ')).toBe('%ação%');
  expect(containing('100%_\\')).toBe('%100\\%\\_\\\\%');
});

test('a value inside or=(…) is fenced', () => {
  expect(quoted('%a,b)%')).toBe('"%a,b)%"');
  expect(quoted('diz "oi" \\')).toBe('"diz \\"oi\\" \\\\"');
});
