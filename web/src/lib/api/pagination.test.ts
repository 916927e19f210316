import { expect, test } from 'vitest';

import { getNextOffset, PAGE_SIZE, fetchAllPages } from './pagination';

test('getNextOffset ends after a page that is not full', () => {
  const full = Array.from({ length: PAGE_SIZE });
  expect(getNextOffset(full, [], 0)).toBe(PAGE_SIZE);
  expect(getNextOffset(full.slice(1), [], PAGE_SIZE)).toBeUndefined();
});

test('fetchAllPages fetches every row, page by page', async () => {
  const rows = Array.from({ length: 5 }, (_, index) => index);
  const ranges: [number, number][] = [];
  const read = await fetchAllPages((from, to) => {
    ranges.push([from, to]);
    return Promise.resolve({ data: rows.slice(from, to + 1) });
  }, 2);
  expect(read).toEqual(rows);
  expect(ranges).toEqual([
    [0, 1],
    [2, 3],
    [4, 5],
  ]);
});
