import { expect, test, vi } from 'vitest';

import { fetchAllIds, removeInBatches } from './removal';

type Read = Parameters<typeof fetchAllIds>[0];
type Remove = Parameters<typeof removeInBatches>[1];

const ids = Array.from({ length: 1001 }, (_, at) => String(at).padStart(4, '0'));

test('fetchAllIds reads each page after the last id of the page before', async () => {
  const read = vi.fn<Read>(async (after, limit) => {
    const from = after === undefined ? 0 : ids.indexOf(after) + 1;
    return { data: ids.slice(from, from + limit).map((id) => ({ id })) };
  });
  expect(await fetchAllIds(read)).toEqual(ids);
  expect(read.mock.calls.map(([after]) => after)).toEqual([undefined, '0999']);
});

test('removeInBatches adds up what each request removed', async () => {
  const remove = vi.fn<Remove>(async (batch) => batch.length - 1);
  expect(await removeInBatches(ids.slice(0, 250), remove)).toEqual({ count: 247 });
  expect(remove.mock.calls.map(([batch]) => batch.length)).toEqual([100, 100, 50]);
});

test('removeInBatches ends at an error, and returns what was removed before', async () => {
  const error = new Error('503');
  const remove = vi.fn<Remove>(async (batch) => batch.length);
  remove.mockResolvedValueOnce(100).mockRejectedValueOnce(error);
  expect(await removeInBatches(ids, remove)).toEqual({ count: 100, error });
  expect(remove).toHaveBeenCalledTimes(2);
});
