import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { serverStatus, checkServerStatus } from './server-status';

const fetchMock = vi.fn<() => Promise<{ ok: boolean }>>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', { onLine: true });
  vi.stubGlobal('fetch', fetchMock);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a request that failed by itself does not make the server look down', async () => {
  fetchMock.mockResolvedValue({ ok: true });
  checkServerStatus();
  await vi.advanceTimersByTimeAsync(0);
  expect(serverStatus.get()).toBe('up');
});

test('a server that is down is tried until it answers, and both are told', async () => {
  const told = vi.fn<() => void>();
  const stop = serverStatus.subscribe(told);
  fetchMock.mockRejectedValue(new TypeError('Failed to fetch'));
  checkServerStatus();
  await vi.advanceTimersByTimeAsync(0);
  expect(serverStatus.get()).toBe('down');
  expect(told).toHaveBeenCalledTimes(1);

  fetchMock.mockResolvedValue({ ok: false });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(serverStatus.get()).toBe('down');

  fetchMock.mockResolvedValue({ ok: true });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(serverStatus.get()).toBe('up');
  expect(told).toHaveBeenCalledTimes(2);
  stop();
});

test('no network is told apart from no server', () => {
  vi.stubGlobal('navigator', { onLine: false });
  expect(serverStatus.get()).toBe('offline');
});
