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

test('status stays up when a request fails but the server responds', async () => {
  fetchMock.mockResolvedValue({ ok: true });
  checkServerStatus();
  await vi.advanceTimersByTimeAsync(0);
  expect(serverStatus.get()).toBe('up');
});

test('server is polled until it responds, and listeners are notified of both changes', async () => {
  const listener = vi.fn<() => void>();
  const unsubscribe = serverStatus.subscribe(listener);
  fetchMock.mockRejectedValue(new TypeError('Failed to fetch'));
  checkServerStatus();
  await vi.advanceTimersByTimeAsync(0);
  expect(serverStatus.get()).toBe('down');
  expect(listener).toHaveBeenCalledTimes(1);

  fetchMock.mockResolvedValue({ ok: false });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(serverStatus.get()).toBe('down');

  fetchMock.mockResolvedValue({ ok: true });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(serverStatus.get()).toBe('up');
  expect(listener).toHaveBeenCalledTimes(2);
  unsubscribe();
});

test('status is offline without a network', () => {
  vi.stubGlobal('navigator', { onLine: false });
  expect(serverStatus.get()).toBe('offline');
});
