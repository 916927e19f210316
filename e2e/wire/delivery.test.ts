// Mails that leave the portal for a mail server that is not ours, read by a parser that is not ours either.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { done, type Office, openOffice, privileged, visitor } from '../office.ts';
import type { Portaria } from '../server.ts';
import { openServer } from './server.ts';

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly type: string;
  readonly parts: ReadonlyArray<{ readonly type: string; readonly text: string }>;
  /** What the parser did not like. */
  readonly defects: readonly string[];
}

const LOGIN = 'portal%40escritorio.com.br:senha%20do%20servidor';
const PROMPTLY = 2_000;

let mailServer: ChildProcess;
const received: Received[] = [];
let portaria: Portaria;
let office: Office;

beforeAll(async () => {
  mailServer = spawn(
    process.env['PORTARIA_PYTHON'] ?? 'python3',
    [join(import.meta.dirname, 'mail-server.py')],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const { port, lines } = await open(mailServer);
  lines.on('line', (line) => received.push(JSON.parse(line)));
  portaria = await openServer({
    PORTARIA_SMTP_URL: `smtp://${LOGIN}@127.0.0.1:${port}`,
    PORTARIA_MAIL_FROM: 'Prado Contábil <portal@escritorio.com.br>',
    PORTARIA_MAIL_INTERVAL: '0s',
  });
  office = await openOffice(portaria);
});

afterAll(async () => {
  await portaria?.stop();
  if (mailServer.exitCode === null) {
    const ended = once(mailServer, 'exit');
    mailServer.stdin?.end();
    await ended;
  }
});

async function open(server: ChildProcess) {
  if (server.stdout === null) {
    throw new Error('The mail server says nothing.');
  }
  const lines = createInterface({ input: server.stdout });
  const [first] = await once(lines, 'line', { signal: AbortSignal.timeout(20_000) });
  const { port }: { port: number } = JSON.parse(String(first));
  return { port, lines };
}

/** Waits until so many mails of a subject have come. */
async function mails(subject: string, count: number, within = PROMPTLY): Promise<Received[]> {
  const deadline = AbortSignal.timeout(within);
  for (;;) {
    const found = received.filter(({ headers }) => headers['subject'] === subject);
    if (found.length >= count) {
      return found;
    }
    await delay(20, undefined, { signal: deadline });
  }
}

describe('a mail', () => {
  test('reaches the server at once, and its link serves', async () => {
    await done(visitor(portaria).auth.resetPasswordForEmail(office.joao.email));
    const [mail] = await mails('Redefinição de senha', 1);
    expect(mail).toMatchObject({
      from: 'portal@escritorio.com.br',
      to: [office.joao.email],
      type: 'multipart/alternative',
      defects: [],
      headers: {
        from: 'Prado Contábil <portal@escritorio.com.br>',
        to: `João da Conceição <${office.joao.email}>`,
        'auto-submitted': 'auto-generated',
        'mime-version': '1.0',
        'message-id': expect.stringMatching(/^<[0-9a-f-]{36}@127\.0\.0\.1>$/),
      },
    });
    expect(Math.abs(Date.now() - Date.parse(mail?.headers['date'] ?? ''))).toBeLessThan(60_000);
    expect(mail?.parts.map(({ type }) => type)).toEqual(['text/plain', 'text/html']);
    const [text, html] = mail?.parts.map((part) => part.text) ?? [];
    // Both lead to the same place.
    const link = /https?:\/\/\S+atualizar-senha\S+/.exec(text ?? '')?.[0] ?? '';
    expect((html ?? '').replaceAll('&amp;', '&')).toContain(link);
    const token_hash = new URLSearchParams(new URL(link).hash.slice(1)).get('token_hash') ?? '';
    await done(visitor(portaria).auth.verifyOtp({ type: 'recovery', token_hash }));
  });

  test('leaves once, though the portal is stopped and started meanwhile', async () => {
    const people = Array.from({ length: 25 }, (_, number) => `pessoa${number}@exemplo.com.br`);
    const api = await privileged(portaria, office.admin);
    await Promise.all(people.map((email) => done(api.auth.admin.inviteUserByEmail(email))));
    await portaria.down();
    await portaria.up();
    const invitations = await mails('Seu acesso ao portal', people.length, 15_000);
    await delay(500);
    expect(invitations.flatMap(({ to }) => to).toSorted()).toEqual(people.toSorted());
    expect(new Set(invitations.map(({ headers }) => headers['message-id'])).size).toBe(people.length);
  });
});
