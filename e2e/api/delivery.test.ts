// Delivery to an independent mail server, whose messages an independent parser reads.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Portaria } from '../fixtures/server.ts';
import { type SmtpServer, startSmtpServer, partText } from '../fixtures/smtp-server.ts';
import { expectOk, type Seed, seedOffice, adminClient, anonClient, unwrap } from '../helpers/api.ts';
import { openServer } from './server.ts';

let server: SmtpServer;
let portaria: Portaria;
let office: Seed;

beforeAll(async () => {
  server = await startSmtpServer();
  portaria = await openServer(server.settings);
  office = await seedOffice(portaria);
});

afterAll(async () => {
  await portaria?.stop();
  await server?.stop();
});

describe('mail', () => {
  test('reaches the mail server at once with a working link', async () => {
    await expectOk(anonClient(portaria).auth.resetPasswordForEmail(office.joao.email));
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
    // The text part and the HTML part contain the same link.
    const link = /https?:\/\/\S+atualizar-senha\S+/.exec(partText(mail, 'text/plain'))?.[0] ?? '';
    expect(partText(mail, 'text/html').replaceAll('&amp;', '&')).toContain(link);
    const token_hash = new URLSearchParams(new URL(link).hash.slice(1)).get('token_hash') ?? '';
    await expectOk(anonClient(portaria).auth.verifyOtp({ type: 'recovery', token_hash }));
  });

  test('is delivered once across a restart of the server', async () => {
    const people = Array.from({ length: 25 }, (_, number) => `pessoa${number}@exemplo.com.br`);
    const api = await adminClient(portaria, office.admin);
    await Promise.all(people.map((email) => expectOk(api.auth.admin.inviteUserByEmail(email))));
    await portaria.stopServer();
    await portaria.startServer();
    // A mail waits until its delivery is recorded.
    const waiting = async () => (await unwrap(office.admin.rpc('mail_status', {}))).waiting;
    await expect.poll(waiting, { timeout: 15_000 }).toBe(0);
    const invitations = await server.mails('Seu acesso ao portal', people.length);
    expect(invitations.flatMap(({ to }) => to).toSorted()).toEqual(people.toSorted());
    expect(new Set(invitations.map(({ headers }) => headers['message-id'])).size).toBe(people.length);
  });
});
