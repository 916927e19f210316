// An outage of the mail server: the back office says so, and queued mails can be sent at once.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';

import { expect, type Page } from '@playwright/test';

import { freePort } from '../../fixtures/server.ts';
import { type SmtpServer, startSmtpServer } from '../../fixtures/smtp-server.ts';
import { createTestApp, signInAsAdmin, test as base, type TestApp } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { anonClient, present } from '../../helpers/api.ts';

const DELIVERY_TIMEOUT_MS = 90_000;

type Outage = {
  /** Starts the mail server at the closed port. */
  end: () => Promise<void>;
  server: SmtpServer;
  settings: Record<string, string>;
};

/** A server whose port for mail is closed until the test opens it. */
const test = base.extend<object, { outage: Outage; app: TestApp }>({
  outage: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads what a fixture needs from this pattern.
    async ({}, provide) => {
      const [server, port] = [await startSmtpServer(), await freePort()];
      const url = new URL(present(server.settings['PORTARIA_SMTP_URL']));
      const target = Number(url.port);
      url.port = String(port);
      const proxy = createServer((socket) => {
        const upstream = connect(target, '127.0.0.1');
        socket.pipe(upstream).pipe(socket);
      });
      const end = async () => {
        proxy.listen(port, '127.0.0.1');
        await once(proxy, 'listening');
      };
      const settings = { ...server.settings, PORTARIA_SMTP_URL: url.href };
      await provide({ end, server, settings });
      proxy.close();
      await server.stop();
    },
    { scope: 'worker' },
  ],
  app: [
    async ({ outage }, provide) => {
      const app = await createTestApp(outage.settings);
      await provide(app);
      await app.portaria.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
});

const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'E-mails' }).getByRole('row').filter({ hasText: name });

test('mail outage › dashboard and log name it, and a queued mail is sent at once afterwards', async ({
  page,
  app,
  outage,
}) => {
  const { email } = await app.newClient('Olga Espera');
  await anonClient(app.portaria).auth.resetPasswordForEmail(email);
  await signInAsAdmin(page);
  await page.goto('/admin/email-log');
  await expect(row(page, email).first()).toContainText(/nova tentativa em/);
  const card = page.getByRole('region', { name: 'Envio de e-mails' });
  await expect(card).toContainText('SMTP configurado, mas o servidor não está enviando');
  await expect(card).toContainText('Última falha: O servidor de e-mail 127.0.0.1 recusou a conexão.');
  await expect(card.locator('.text-success')).toHaveCount(0);
  await expectAccessible(page);

  await page.goto('/admin/dashboard');
  const attention = page.getByRole('heading', { level: 3, name: 'E-mails que não saíram' });
  await expect(attention).toBeVisible();
  await expect(page.getByText(/O servidor de e-mail não está enviando: .* na fila\./)).toBeVisible();
  await expect(page.getByText('Nenhum e-mail falhou.')).toBeHidden();
  await page.getByRole('main').getByRole('link', { name: email }).first().click();
  await expect(page).toHaveURL('/admin/email-log?estado=queued');

  await outage.end();
  await expect(row(page, email).first()).toBeVisible();
  // The other mail to this address leaves the list when the server sends it by itself.
  const recovery = row(page, email).filter({ hasText: 'Redefinição de senha' });
  await recovery.getByRole('button', { name: `Enviar agora para ${email}` }).click();
  await expect(page.getByText('E-mail na frente da fila').first()).toBeVisible();
  await outage.server.mails('Redefinição de senha', 1, DELIVERY_TIMEOUT_MS);
  await page.goto('/admin/email-log');
  await expect(row(page, email).first()).toContainText('Enviado');
  await expect(card.getByText('SMTP configurado', { exact: true })).toBeVisible({
    timeout: DELIVERY_TIMEOUT_MS,
  });
  await page.goto('/admin/dashboard');
  await expect(page.getByText('Nenhum e-mail falhou.')).toBeVisible();
});
