import { expect, test } from 'vitest';

import { findRemovedRows } from './removed-rows';

test.each([
  ['a row that is gone', 'abc', 'ac', false, 'b'],
  ['the last row', 'abc', 'ab', false, 'c'],
  ['all rows', 'abc', '', false, 'abc'],
  ['a row after which the next page moved up', 'abc', 'abd', true, 'c'],
  ['no row that a newer one moved to the next page', 'abc', 'nab', true, ''],
  ['a row that is gone while a newer one came', 'abc', 'nbc', true, 'a'],
  ['no row that a page of newer ones moved away', 'ab', 'mn', true, ''],
  ['no row after the next page', 'ab', 'abcd', true, ''],
])('%s', (_, before, now, hasMore, removed) => {
  expect([...findRemovedRows(Array.from(before), Array.from(now), hasMore)].join('')).toBe(removed);
});
