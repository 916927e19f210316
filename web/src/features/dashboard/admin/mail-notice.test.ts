import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { isStuck } from '~/features/email/api/log';
import type { SmtpStatus } from '~/lib/api/database';

import { mailNotice } from './mail-notice';

const idle: SmtpStatus = {
  configured: true,
  sender: 'Escritório <portal@escritorio.com.br>',
  server: 'smtp.escritorio.com.br',
  waiting: 0,
  retrying: 0,
  waiting_since: null,
  next_attempt_at: null,
  failed: 0,
  last_error: null,
  last_sent_at: null,
};
const RECENTLY = '2026-11-23T14:58:30Z';
const OVERDUE = '2026-11-23T14:57:30Z';
const LATER = '2026-11-23T16:00:00Z';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-23T15:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

const rows: [string, Partial<SmtpStatus>, stuck: boolean, notice: string | null][] = [
  ['an empty queue', {}, false, null],
  ['an empty queue without a server', { configured: false }, false, null],
  ['a mail that has just become due', { waiting: 1, next_attempt_at: RECENTLY }, false, null],
  ['a mail that is held', { waiting: 1, next_attempt_at: LATER }, false, null],
  ['an overdue mail', { waiting: 1, next_attempt_at: OVERDUE }, true, '1 e-mail espera na fila.'],
  [
    'a mail whose attempt failed',
    { waiting: 2, retrying: 1, next_attempt_at: LATER },
    true,
    '2 e-mails esperam na fila.',
  ],
  [
    'a queue without a server',
    { configured: false, waiting: 1, next_attempt_at: LATER },
    true,
    'O envio de e-mails não está configurado: 1 e-mail espera na fila.',
  ],
  [
    'a server that is down',
    { last_error: 'Conexão recusada.', waiting: 2, next_attempt_at: LATER },
    true,
    'O servidor de e-mail não está enviando: Conexão recusada. 2 e-mails esperam na fila.',
  ],
  [
    'a server that is down while no mail waits',
    { last_error: 'Conexão recusada.' },
    false,
    'O servidor de e-mail não está enviando: Conexão recusada.',
  ],
];

describe('mailNotice', () => {
  test.each(rows)('%s', (_, changes, __, notice) => {
    expect(mailNotice({ ...idle, ...changes }, { isAdministrator: true })).toBe(notice);
  });

  test.each(rows)('%s, for an employee', (_, changes, __, notice) => {
    const calm =
      'Os e-mails não estão saindo agora. Os administradores veem o motivo, e o que espera na fila sai sozinho depois.';
    expect(mailNotice({ ...idle, ...changes }, { isAdministrator: false })).toBe(notice && calm);
  });
});

describe('isStuck', () => {
  test.each(rows)('%s', (_, changes, stuck) => {
    expect(isStuck({ ...idle, ...changes })).toBe(stuck);
  });
});
