import { expect, test } from 'vitest';

import { getNextOffset, PAGE_SIZE, fetchAllPages } from './pagination';

test('a short page is the last', () => {
  const full = Array.from({ length: PAGE_SIZE });
  expect(getNextOffset(full, [], 0)).toBe(PAGE_SIZE);
  expect(getNextOffset(full.slice(1), [], PAGE_SIZE)).toBeUndefined();
});

test('every row is read, page by page', async () => {
  const rows = Array.from({ length: 5 }, (_, at) => at);
  const asked: [number, number][] = [];
  const read = await fetchAllPages((from, to) => {
    asked.push([from, to]);
    return Promise.resolve({ data: rows.slice(from, to + 1) });
  }, 2);
  expect(read).toEqual(rows);
  expect(asked).toEqual([
    [0, 1],
    [2, 3],
    [4, 5],
  ]);
});
