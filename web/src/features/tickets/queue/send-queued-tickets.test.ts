// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from 'vitest';

import { blankTicket } from '~/features/tickets/ticket-draft';
import { clearDrafts, listDraftKeys } from '~/lib/drafts/draft-keys';
import { randomUuid } from '~/lib/uuid';

import { discardQueuedTicket, reopenQueuedTicket, sendQueuedTickets } from './send-queued-tickets';
import { listQueuedTickets, type QueuedTicket, saveQueuedTicket } from './ticket-queue';

const mocks = vi.hoisted(() => ({
  createTicket: vi.fn<(draft: { id: string; idempotencyKey: string }) => Promise<void>>(),
  active: 'padaria',
}));

vi.mock('~/features/tickets/api/tickets', () => ({
  createTicket: mocks.createTicket,
  ticketKeys: { all: ['tickets'] },
}));
vi.mock('~/features/auth/session', () => ({ session: { get: () => ({ user: { id: 'ana' } }) } }));
vi.mock('~/lib/api/account-api', () => ({
  accountApi: async () => Response.json({ clients: [{ id: mocks.active, is_active: true }] }),
}));

/** The Web Locks of a browser with one tab. A lock that is held makes others wait, or is not given. */
const held = new Map<string, Promise<unknown>>();
type Options = { ifAvailable?: boolean };
type Work = (lock: object | null) => unknown;
async function request(name: string, ...args: [Work] | [Options, Work]): Promise<unknown> {
  const [options, work] = args.length === 2 ? args : [{}, args[0]];
  const before = held.get(name);
  if (before && options.ifAvailable) return work(null);
  const run = (async () => {
    await before;
    return work({});
  })();
  held.set(name, run);
  try {
    return await run;
  } finally {
    if (held.get(name) === run) held.delete(name);
  }
}

function queue(changes: Partial<QueuedTicket> = {}): QueuedTicket {
  const values = { ...blankTicket, subject: 'Guia', message: 'Preciso da segunda via.' };
  const base = { at: 1, client: 'padaria', state: 'waiting' as const, reason: null, values };
  const ticket = { id: randomUuid(), idempotencyKey: randomUuid(), ...base, ...changes };
  saveQueuedTicket('ana', ticket);
  return ticket;
}

const states = () => listQueuedTickets('ana').map(({ state }) => state);

beforeEach(() => {
  localStorage.clear();
  held.clear();
  mocks.active = 'padaria';
  mocks.createTicket.mockReset();
  mocks.createTicket.mockResolvedValue();
  vi.stubGlobal('navigator', { locks: { request }, onLine: true });
});

test('queued tickets are sent in the order in which they were written, and leave the queue', async () => {
  const second = queue({ at: 2 });
  const first = queue({ at: 1 });
  expect(await sendQueuedTickets('ana')).toBe(true);
  expect(mocks.createTicket.mock.calls.map(([{ id }]) => id)).toEqual([first.id, second.id]);
  expect(states()).toEqual([]);
});

test('two tabs send a ticket once', async () => {
  queue();
  await Promise.all([sendQueuedTickets('ana'), sendQueuedTickets('ana')]);
  expect(mocks.createTicket).toHaveBeenCalledOnce();
});

test('a ticket without an answer is repeated under the same key, and neither edited nor deleted', async () => {
  const { id, idempotencyKey } = queue();
  mocks.createTicket.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  expect(await sendQueuedTickets('ana')).toBe(false);
  expect(states()).toEqual(['sending']);
  expect(await reopenQueuedTicket('ana', id)).toBe(false);
  expect(await discardQueuedTicket('ana', id)).toBe(false);
  expect(await sendQueuedTickets('ana')).toBe(true);
  expect(mocks.createTicket.mock.calls.map(([draft]) => draft.idempotencyKey)).toEqual([
    idempotencyKey,
    idempotencyKey,
  ]);
});

test('a ticket that the server refuses is kept with the reason, and not repeated', async () => {
  const { id } = queue();
  mocks.createTicket.mockRejectedValueOnce({ code: '23514', message: 'violates check constraint' });
  expect(await sendQueuedTickets('ana')).toBe(true);
  expect(listQueuedTickets('ana')).toMatchObject([
    { state: 'refused', reason: 'Um dos campos tem um valor que não é aceito.' },
  ]);
  await sendQueuedTickets('ana');
  expect(mocks.createTicket).toHaveBeenCalledOnce();
  expect(await reopenQueuedTicket('ana', id)).toBe(true);
  expect(listDraftKeys('ana')).toEqual([`portaria-draft/ana/ticket@padaria/${id}`]);
});

test.each([
  ['the end of the session', { code: 'PGRST303', message: '' }, 'waiting'],
  ['too many tickets', { code: 'PT429', message: '' }, 'sending'],
  ['an error of the server', { code: 'XX000', message: '' }, 'sending'],
])('%s leaves the ticket in the queue', async (_, error, state) => {
  queue();
  mocks.createTicket.mockRejectedValueOnce(error);
  expect(await sendQueuedTickets('ana')).toBe(false);
  expect(states()).toEqual([state]);
});

test('a ticket for another client waits', async () => {
  mocks.active = 'oficina';
  queue();
  expect(await sendQueuedTickets('ana')).toBe(true);
  expect(mocks.createTicket).not.toHaveBeenCalled();
  expect(states()).toEqual(['waiting']);
});

test('a sign-out during an attempt leaves nothing', async () => {
  queue();
  mocks.createTicket.mockImplementationOnce(async () => {
    clearDrafts('ana');
    throw new TypeError('Failed to fetch');
  });
  await sendQueuedTickets('ana');
  mocks.createTicket.mockImplementationOnce(async () => {
    clearDrafts('ana');
    throw Object.assign(new Error('violates check constraint'), { code: '23514' });
  });
  queue();
  await sendQueuedTickets('ana');
  expect(listDraftKeys('ana')).toEqual([]);
});
