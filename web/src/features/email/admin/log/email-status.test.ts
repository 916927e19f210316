import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import type { Email } from '~/features/email/api/log';

import { delayText, sentText } from './email-status';

vi.mock('~/lib/api/server-config', () => ({ serverConfig: () => ({ time_zone: 'America/Sao_Paulo' }) }));

type Delay = Parameters<typeof delayText>[0];

const LATER = '2026-11-23T15:30:00.000000+00:00';
const EARLIER = '2026-11-23T14:59:00.000000+00:00';
const queued: Delay = { state: 'queued', attempts: 0, next_attempt_at: LATER, hold_reason: null };

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-23T15:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

test.each<[string, Partial<Delay>, string | null]>([
  ['a mail that waits', {}, 'espera até 23/11/2026 às 12:30'],
  [
    'a mail of a digest',
    { hold_reason: 'digest' },
    'espera até 23/11/2026 às 12:30, para sair junto com outros avisos',
  ],
  [
    'a mail above the limit of its recipient',
    { hold_reason: 'recipient_limit' },
    'espera até 23/11/2026 às 12:30: limite de e-mails deste destinatário',
  ],
  ['a mail whose attempt failed', { attempts: 2 }, 'nova tentativa em 23/11/2026 às 12:30'],
  // The time of the last attempt is past until the server has made the next one.
  ['a due mail whose attempt failed', { attempts: 2, next_attempt_at: EARLIER }, null],
  ['a due mail', { next_attempt_at: EARLIER }, null],
  ...(['sending', 'sent', 'failed', 'cancelled'] satisfies Email['state'][]).map(
    (state): [string, Partial<Delay>, null] => [`a mail in the state ${state}`, { state, attempts: 1 }, null],
  ),
])('delayText of %s', (_, changes, expected) => {
  expect(delayText({ ...queued, ...changes })).toBe(expected);
});

test.each([
  ['is not sent', null, null],
  ['was sent in the same minute', '2026-11-23T14:59:59.000000+00:00', null],
  ['was sent on the same day', LATER, 'enviado às 12:30'],
  ['was sent on another day', '2026-11-24T03:00:00.000000+00:00', 'enviado em 24/11/2026 às 00:00'],
])('sentText of a mail that %s', (_, sent_at, expected) => {
  expect(sentText({ created_at: EARLIER, sent_at })).toBe(expected);
});
