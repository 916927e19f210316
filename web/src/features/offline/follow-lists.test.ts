// @vitest-environment happy-dom
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';

import type { Session, User } from '~/features/auth/session';
import { foldersQuery } from '~/features/folders/api';
import { clientChoiceQuery } from '~/features/members/client-choice';
import type { ServerStatus } from '~/lib/api/server-status';

/** The database, by key, and the stored session's person. */
const stored = vi.hoisted(() => new Map<unknown, unknown>());
const browser = vi.hoisted(() => ({ person: null as string | null, impersonated: false }));
const state = vi.hoisted(() => ({
  session: { loading: true, user: null } as Session,
  status: 'up' as ServerStatus,
  onSession: new Set<() => void>(),
  onStatus: new Set<() => void>(),
}));

vi.mock('idb-keyval', () => ({
  createStore: () => 'store',
  get: async (key: string) => stored.get(key),
  del: async (key: string) => void stored.delete(key),
  update: async (key: string, change: (value: unknown) => unknown) =>
    void stored.set(key, change(stored.get(key))),
}));
vi.mock('~/lib/api/supabase', () => ({
  readStoredSession: () => browser.person && { user: { id: browser.person } },
}));
vi.mock('~/lib/api/impersonation', () => ({ getImpersonation: () => (browser.impersonated ? {} : null) }));
vi.mock('~/lib/api/account-api', () => ({ accountApi: () => {} }));
vi.mock('~/features/auth/session', () => ({
  session: { get: () => state.session, subscribe: (listener: () => void) => state.onSession.add(listener) },
}));
vi.mock('~/lib/api/server-status', () => ({
  serverStatus: {
    get: () => state.status,
    subscribe: (listener: () => void) => state.onStatus.add(listener),
  },
}));

const FOLDERS = foldersQuery().queryKey;
const DAY_MS = 24 * 60 * 60 * 1000;
const folder = { id: 'faturas', name: 'Faturas', icon: null, kind: null, documents: 3 };

/** Loads the page anew: the modules keep their state for as long as it is open. */
async function loadPage() {
  vi.resetModules();
  state.onSession.clear();
  state.onStatus.clear();
  const { queryClient } = await import('~/lib/api/query-client');
  const { followLists } = await import('./follow-lists');
  queryClient.clear();
  followLists();
  await vi.advanceTimersByTimeAsync(0);
  return queryClient;
}

async function signIn(id: string | null, options: Partial<User> = {}): Promise<void> {
  browser.person = id;
  const user =
    id === null ? null : { id, email: '', fullName: null, isAdmin: false, pendingStep: null, ...options };
  state.session = { loading: false, user };
  for (const listener of state.onSession) listener();
  await vi.advanceTimersByTimeAsync(0);
}

async function setStatus(status: ServerStatus): Promise<void> {
  state.status = status;
  for (const listener of state.onStatus) listener();
  await vi.advanceTimersByTimeAsync(0);
}

/** Reads the folders online, for the client `client`, and waits until they are stored. */
async function readFolders(client = 'padaria'): Promise<void> {
  const queryClient = await loadPage();
  queryClient.setQueryData(clientChoiceQuery().queryKey, [
    { id: client, name: client, role: 'owner', is_active: true, member_name: null },
  ]);
  queryClient.setQueryData(FOLDERS, [folder]);
  await vi.advanceTimersByTimeAsync(2_000);
}

/** The folders after a load of the page without a network. */
async function foldersOffline(): Promise<unknown> {
  state.status = 'offline';
  const queryClient = await loadPage();
  queryClient.getQueryCache().build(queryClient, { queryKey: FOLDERS });
  await vi.advanceTimersByTimeAsync(0);
  return queryClient.getQueryData(FOLDERS);
}

/** The entry script of a release. The environment would load a real one. */
function setRelease(hash: string): void {
  const script = Object.assign(document.createElement('script'), { src: `/assets/index-${hash}.js` });
  vi.spyOn(document, 'querySelector').mockReturnValue(script);
}

const storedText = () => JSON.stringify([...stored.values()]);

// The first import compiles the modules, which takes seconds on a busy machine.
beforeAll(() => import('./follow-lists'), 60_000);

beforeEach(async () => {
  vi.useFakeTimers();
  // The page of the test before is closed.
  vi.clearAllTimers();
  state.onSession.clear();
  stored.clear();
  browser.impersonated = false;
  state.status = 'up';
  setRelease('1');
  await signIn('ana');
});

test('a list that was read is shown without a network, with its time', async () => {
  await readFolders();
  const readAt = Date.now();
  vi.advanceTimersByTime(60_000);
  expect(await foldersOffline()).toEqual([folder]);
  const { queryClient } = await import('~/lib/api/query-client');
  expect(queryClient.getQueryState(FOLDERS)?.dataUpdatedAt).toBeLessThanOrEqual(readAt);
});

test('a kept list is not shown while the server answers, and is when it stops', async () => {
  await readFolders();
  const queryClient = await loadPage();
  queryClient.getQueryCache().build(queryClient, { queryKey: FOLDERS });
  await vi.advanceTimersByTimeAsync(0);
  expect(queryClient.getQueryData(FOLDERS)).toBeUndefined();
  await setStatus('down');
  expect(queryClient.getQueryData(FOLDERS)).toEqual([folder]);
});

test('the end of the session deletes the lists', async () => {
  await readFolders();
  expect(storedText()).toContain('Faturas');
  await signIn(null);
  expect(stored.size).toBe(0);
});

test('a page that opens without a session deletes what another one left', async () => {
  await readFolders();
  browser.person = null;
  state.session = { loading: false, user: null };
  await loadPage();
  expect(stored.size).toBe(0);
});

test('a tab that has not noticed the sign-out stores nothing after it', async () => {
  await readFolders();
  const { queryClient } = await import('~/lib/api/query-client');
  stored.clear();
  browser.person = null;
  queryClient.setQueryData(FOLDERS, [{ ...folder, name: 'Contratos' }]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(storedText()).not.toContain('Contratos');
});

test('another person sees no list of the one before, and deletes it', async () => {
  await readFolders();
  await signIn('bia');
  expect(stored.size).toBe(0);
  expect(await foldersOffline()).toBeUndefined();
});

test('lists of another client are replaced', async () => {
  await readFolders('padaria');
  const queryClient = await loadPage();
  queryClient.setQueryData(clientChoiceQuery().queryKey, [
    { id: 'oficina', name: 'Oficina', role: 'owner', is_active: true, member_name: null },
  ]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(storedText()).toContain('Oficina');
  expect(storedText()).not.toContain('Faturas');
  // Not even the memory of this tab returns them.
  await setStatus('offline');
  queryClient.getQueryCache().build(queryClient, { queryKey: FOLDERS });
  await vi.advanceTimersByTimeAsync(0);
  expect(queryClient.getQueryData(FOLDERS)).toBeUndefined();
});

test('another release, and a week, end the lists', async () => {
  await readFolders();
  setRelease('2');
  expect(await foldersOffline()).toBeUndefined();
  expect(stored.size).toBe(0);
  state.status = 'up';
  await readFolders();
  vi.advanceTimersByTime(7 * DAY_MS + 1);
  expect(await foldersOffline()).toBeUndefined();
});

test.each([
  ['staff', { isAdmin: true }],
  ['a session that must pass a step', { pendingStep: 'mfa' as const }],
])('nothing is stored for %s', async (_, options) => {
  await signIn('ana', options);
  await readFolders();
  expect(stored.size).toBe(0);
});

test('nothing is stored in a tab in which staff look at the area of a client', async () => {
  browser.impersonated = true;
  await readFolders();
  expect(stored.size).toBe(0);
});

test('the newest lists are kept within the limit of size', async () => {
  await readFolders();
  const { queryClient } = await import('~/lib/api/query-client');
  const names = Array.from({ length: 200 }, () => ({ ...folder, name: 'x'.repeat(3_000) }));
  queryClient.setQueryData(FOLDERS, names);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(storedText().length).toBeLessThan(500_000);
  expect(storedText()).toContain('padaria');
});
