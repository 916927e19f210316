import { expect, test } from 'vitest';

import { isUuid, randomUuid } from './uuid';

test('randomUuid returns distinct UUIDs of version 4', () => {
  const ids = Array.from({ length: 100 }, randomUuid);
  expect(ids.every(isUuid)).toBe(true);
  expect(ids.every((id) => id[14] === '4' && '89ab'.includes(id[19] ?? ''))).toBe(true);
  expect(new Set(ids).size).toBe(100);
});

test.each(['', 'x', '0192d3a4', '01a1fe9f-1180-7371-8c69-5a6fcc67c1e5x'])('isUuid rejects %j', (text) => {
  expect(isUuid(text)).toBe(false);
});
