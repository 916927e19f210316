// @vitest-environment happy-dom
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { createPacedRefetch, type PacedRefetch } from './paced-refetch';

const KEY = ['tickets'];

let client: QueryClient;
let paced: PacedRefetch;
let fetches: number;
let stopObserving: () => void;

/** Observes a query whose requests take `duration` milliseconds. */
async function observe(duration: number, isLive = true): Promise<void> {
  const observer = new QueryObserver(client, {
    queryKey: [...KEY, 'list'],
    async queryFn() {
      fetches += 1;
      await new Promise((resolve) => setTimeout(resolve, duration));
      return fetches;
    },
    staleTime: Infinity,
    meta: { isLive },
  });
  stopObserving = observer.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(duration);
  fetches = 0;
}

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  paced = createPacedRefetch(client);
});

afterEach(() => {
  paced.stop();
  stopObserving();
  vi.useRealTimers();
});

test('one change refetches the queries below its key within half a second, once', async () => {
  await observe(10);
  paced.request(['documents']);
  paced.request(KEY);
  await vi.advanceTimersByTimeAsync(500);
  expect(fetches).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetches).toBe(1);
});

test('a thousand changes in ten seconds cause five refetches, and the last one comes after the last change', async () => {
  await observe(10);
  for (let change = 0; change < 1_000; change += 1) {
    paced.request(KEY);
    // oxlint-disable-next-line eslint/no-await-in-loop
    await vi.advanceTimersByTimeAsync(10);
  }
  const during = fetches;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(fetches).toBe(during + 1);
  expect(fetches).toBeLessThanOrEqual(5);
  // After a quiet time a change is shown at once again.
  await vi.advanceTimersByTimeAsync(10_000);
  paced.request(KEY);
  await vi.advanceTimersByTimeAsync(500);
  expect(fetches).toBe(during + 2);
});

test('a slow request makes the pause longer', async () => {
  await observe(2_000);
  paced.request(KEY);
  await vi.advanceTimersByTimeAsync(1_000);
  paced.request(KEY);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fetches).toBe(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(fetches).toBe(2);
});

test('a change during a request is read by another request afterwards', async () => {
  await observe(1_000);
  void client.invalidateQueries({ queryKey: KEY });
  paced.request(KEY);
  await vi.advanceTimersByTimeAsync(900);
  expect(fetches).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(fetches).toBe(2);
});

test('a query that is not live keeps its data', async () => {
  await observe(10, false);
  paced.request(KEY);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(fetches).toBe(0);
});
