import { expect, test } from 'vitest';

import { moveItem } from './use-drag-reorder';

test.each([
  [0, 2, 'bcad'],
  [3, 0, 'dabc'],
  [1, 1, 'abcd'],
  [0, -1, 'abcd'],
  [3, 4, 'abcd'],
])('moveItem from %i to %i', (from, to, order) => {
  expect(moveItem('abcd'.split(''), from, to).join('')).toBe(order);
});
