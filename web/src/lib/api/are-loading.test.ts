import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';

import { areLoading } from './are-loading';

test('a list that has failed does not hide the others while it is read again', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const queryFn = vi.fn<() => Promise<string>>();
  queryFn.mockRejectedValueOnce(new Error('500'));
  queryFn.mockReturnValueOnce(new Promise(() => {}));
  const observer = new QueryObserver(client, { queryKey: ['list'], queryFn });
  const stop = observer.subscribe(() => {});
  expect(areLoading([observer.getCurrentResult()])).toBe(true);
  await vi.waitFor(() => expect(observer.getCurrentResult().isError).toBe(true));
  expect(areLoading([observer.getCurrentResult()])).toBe(false);
  void observer.refetch();
  await vi.waitFor(() => expect(observer.getCurrentResult().isFetching).toBe(true));
  expect(areLoading([observer.getCurrentResult()])).toBe(false);
  stop();
});
