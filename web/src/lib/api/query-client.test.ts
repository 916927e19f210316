import { QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';

import { queryClient, refetchChanged } from './query-client';

test('a change restarts a first fetch that is still running', async () => {
  const [before, after] = [Promise.withResolvers<string[]>(), Promise.withResolvers<string[]>()];
  const queryFn = vi.fn<() => Promise<string[]>>();
  queryFn.mockReturnValueOnce(before.promise).mockReturnValueOnce(after.promise);
  const observer = new QueryObserver(queryClient, { queryKey: ['tickets'], queryFn });
  const unsubscribe = observer.subscribe(() => {});
  await expect.poll(() => queryFn.mock.calls).toHaveLength(1);

  const refetched = refetchChanged(['tickets']);
  await expect.poll(() => queryFn.mock.calls).toHaveLength(2);
  after.resolve(['new']);
  await refetched;
  before.resolve([]);
  await before.promise;
  expect(observer.getCurrentResult().data).toEqual(['new']);
  unsubscribe();
});
