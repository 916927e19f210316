// Mails that leave the portal for a mail server that is not ours, read by a parser that is not ours either.

import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type MailServer, startMailServer, text } from '../mail-server.ts';
import { done, type Office, openOffice, privileged, visitor } from '../office.ts';
import type { Portaria } from '../server.ts';
import { openServer } from './server.ts';

let server: MailServer;
let portaria: Portaria;
let office: Office;

beforeAll(async () => {
  server = await startMailServer();
  portaria = await openServer(server.settings);
  office = await openOffice(portaria);
});

afterAll(async () => {
  await portaria?.stop();
  await server?.stop();
});

describe('a mail', () => {
  test('reaches the server at once, and its link serves', async () => {
    await done(visitor(portaria).auth.resetPasswordForEmail(office.joao.email));
    const mail = await server.mail('Redefinição de senha');
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
    expect(Math.abs(Date.now() - Date.parse(mail.headers['date'] ?? ''))).toBeLessThan(60_000);
    expect(mail.parts.map(({ type }) => type)).toEqual(['text/plain', 'text/html']);
    // Both lead to the same place.
    const link = /https?:\/\/\S+atualizar-senha\S+/.exec(text(mail, 'text/plain'))?.[0] ?? '';
    expect(text(mail, 'text/html').replaceAll('&amp;', '&')).toContain(link);
    const token_hash = new URLSearchParams(new URL(link).hash.slice(1)).get('token_hash') ?? '';
    await done(visitor(portaria).auth.verifyOtp({ type: 'recovery', token_hash }));
  });

  test('leaves once, though the portal is stopped and started meanwhile', async () => {
    const people = Array.from({ length: 25 }, (_, number) => `pessoa${number}@exemplo.com.br`);
    const api = await privileged(portaria, office.admin);
    await Promise.all(people.map((email) => done(api.auth.admin.inviteUserByEmail(email))));
    await portaria.down();
    await portaria.up();
    const invitations = await server.mails('Seu acesso ao portal', people.length, 15_000);
    await delay(500);
    expect(invitations.flatMap(({ to }) => to).toSorted()).toEqual(people.toSorted());
    expect(new Set(invitations.map(({ headers }) => headers['message-id'])).size).toBe(people.length);
  });
});
