// The mail log: state, errors, cancellation and retry.

import { expect, type Page } from '@playwright/test';

import { openSession, signInAsAdmin, test, type TestApp } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { unwrap, serviceClient, anonClient } from '../../helpers/api.ts';

test.describe.configure({ mode: 'serial' });

const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'E-mails' }).getByRole('row').filter({ hasText: name });
const rows = (page: Page) => page.getByRole('table', { name: 'E-mails' }).getByRole('row');

/** Queues a mail for password recovery. It waits, since no SMTP server is set. Returns the recipient. */
async function queueMail(app: TestApp, name: string): Promise<string> {
  const { email } = await app.newClient(name);
  // Deletes the welcome mail, which these tests do not cover.
  app.portaria.execSql(`DELETE FROM outbox WHERE event = 'welcome'`);
  await anonClient(app.portaria).auth.resetPasswordForEmail(email);
  return email;
}

/** Marks a mail as refused by the mail server. */
const markFailed = (app: TestApp, recipient: string) =>
  app.portaria.execSql(
    `UPDATE outbox SET state = 'failed', attempts = 8, last_error = 'O servidor recusou o endereço (550).'
     WHERE recipient = '${recipient}'`,
  );

test('mail log › shows that it is empty', async ({ page }) => {
  await openSession(page);
  await page.goto('/admin/email-log');
  await expect(page.getByText('Nenhum e-mail encontrado')).toBeVisible();
  await expect(page.getByText('SMTP não configurado')).toBeVisible();
});

test('mail log › shows state and error, cancels, retries, and filters by state and recipient', async ({
  page,
  app,
}) => {
  const waiting = await queueMail(app, 'Alda Espera');
  const failed = await queueMail(app, 'Beto Falha');
  markFailed(app, failed);
  await signInAsAdmin(page);
  await expect(page.getByRole('heading', { level: 3, name: 'E-mails que não saíram' })).toContainText('1');
  await page.getByRole('main').getByRole('link', { name: failed }).click();
  await expect(page).toHaveURL('/admin/email-log?estado=failed');
  await expect(rows(page)).toHaveCount(2);
  await expect(row(page, failed)).toContainText(/Falhou.*O servidor recusou o endereço \(550\)\..*8/s);

  await page.getByRole('button', { name: `Reenviar para ${failed}` }).click();
  await expect(page.getByText('E-mail de volta à fila')).toBeVisible();
  await expect(page.getByText('Nenhum e-mail encontrado')).toBeVisible();
  await page.getByRole('button', { name: 'Limpar filtros' }).click();
  await expect(row(page, failed)).toContainText('Na fila');
  await expect(row(page, waiting)).toContainText('Redefinição de senha');

  await page.getByRole('button', { name: `Cancelar envio para ${waiting}` }).click();
  await expect(page.getByText('Envio cancelado')).toBeVisible();
  await expect(row(page, waiting)).toContainText('Cancelado');
  await page.getByRole('searchbox', { name: 'Buscar por destinatário...' }).fill(failed.slice(0, 9));
  await expect(row(page, waiting)).toBeHidden();
  await expect(row(page, failed)).toBeVisible();
  await page.getByRole('searchbox').fill('');
  await page.getByLabel('Estado').selectOption('Cancelado');
  await expect(page).toHaveURL('/admin/email-log?estado=cancelled');
  await expect(rows(page)).toHaveCount(2);
});

test('mail log › a mail with deleted content cannot be sent again', async ({ page, app }) => {
  const recipient = await queueMail(app, 'Caio Sumiu');
  markFailed(app, recipient);
  app.portaria.execSql(`UPDATE outbox SET html = '' WHERE recipient = '${recipient}'`);
  await openSession(page);
  await page.goto('/admin/email-log?estado=failed');
  await page.getByRole('button', { name: `Reenviar para ${recipient}` }).click();
  await expect(page.getByText('Erro ao reenviar e-mail')).toBeVisible();
  await expect(page.getByText('O conteúdo deste e-mail já foi apagado')).toBeVisible();
  await expect(row(page, recipient)).toContainText('Falhou');

  // A notification that became part of another mail has the state of that one.
  const part = await queueMail(app, 'Caio Aviso');
  app.portaria.execSql(
    `UPDATE outbox SET state = 'sent', digest_id = (SELECT id FROM outbox WHERE recipient = '${recipient}')
     WHERE recipient = '${part}'`,
  );
  await page.goto('/admin/email-log');
  await expect(row(page, part)).toContainText(
    'Falhou em um e-mail com outros avisos O servidor recusou o endereço (550).',
  );
});

test('mail log › names until when and why a mail is held, and sends it at once', async ({ page, app }) => {
  const recipient = await queueMail(app, 'Rui Retido');
  const hold = (reason: string) =>
    app.portaria.execSql(
      `UPDATE outbox SET next_attempt_at = '2099-01-02T15:30:00.000000+00:00', hold_reason = '${reason}'
       WHERE recipient = '${recipient}'`,
    );
  await signInAsAdmin(page);
  hold('recipient_limit');
  await page.goto('/admin/email-log');
  await expect(row(page, recipient)).toContainText(
    'espera até 02/01/2099 às 12:30: limite de e-mails deste destinatário',
  );
  hold('digest');
  await page.reload();
  await expect(row(page, recipient)).toContainText(
    'espera até 02/01/2099 às 12:30, para sair junto com outros avisos',
  );
  await page.getByRole('button', { name: `Enviar agora para ${recipient}` }).click();
  await expect(page.getByText('E-mail na frente da fila')).toBeVisible();
  await expect(page.getByText('Ele só sai quando o envio de e-mails estiver ativo.')).toBeVisible();
  await expect(row(page, recipient)).not.toContainText('espera até');
});

test('mail log › loads further pages on scrolling', async ({ page, app }) => {
  const recipient = await queueMail(app, 'Dora Muitos');
  app.portaria.execSql(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 119)
     INSERT INTO outbox (id, event, dedupe_key, user_id, recipient, subject, html, state, attempts,
                         next_attempt_at, created_at)
     SELECT printf('%08x-0000-7000-8000-000000000000', i), event, dedupe_key || i, user_id, recipient, subject,
            html, 'cancelled', 0, next_attempt_at, created_at
     FROM outbox, n WHERE recipient = '${recipient}'`,
  );
  const newest = await queueMail(app, 'Edu Recente');
  await openSession(page);
  await page.goto('/admin/email-log');
  await expect(row(page, newest)).toBeVisible();
  await page.getByRole('searchbox').fill(recipient);
  // The list is searched after a pause in typing.
  await expect(row(page, newest)).toBeHidden();
  // One row is the table's header.
  await expect(rows(page)).toHaveCount(51);
  await rows(page).nth(50).scrollIntoViewIfNeeded();
  await expect(rows(page)).toHaveCount(101);
  await rows(page).nth(100).scrollIntoViewIfNeeded();
  await expect(rows(page)).toHaveCount(121);
  await expect(page.getByRole('button', { name: 'Carregar mais' })).toHaveCount(0);
  const all = await unwrap(
    serviceClient(app.portaria).from('outbox').select('id').eq('recipient', recipient),
  );
  expect(all).toHaveLength(120);
});

test('dashboard › says that the state of the mail server is unknown, and follows the queue', async ({
  page,
  app,
}) => {
  await queueMail(app, 'Fábio Primeiro');
  await signInAsAdmin(page);
  const status = '**/rest/v1/rpc/mail_status';
  await page.route(status, (route) => route.abort());
  await page.reload();
  const group = page.locator('section').filter({
    has: page.getByRole('heading', { level: 3, name: 'E-mails que não saíram' }),
  });
  await expect(group.getByRole('alert')).toContainText('Não foi possível carregar');
  await page.unroute(status);
  await group.getByRole('button', { name: 'Tentar novamente' }).click();
  await expect(group.getByText('O envio de e-mails não está configurado')).toBeVisible();
  await expect(group.getByRole('alert')).toBeHidden();
  const recipient = await queueMail(app, 'Fábio Parado');
  app.portaria.execSql(
    `UPDATE outbox SET next_attempt_at = '2020-01-01T00:00:00.000000+00:00', created_at = '2099-01-01T00:00:00.000000+00:00'
     WHERE recipient = '${recipient}'`,
  );
  await expect(group.getByRole('link', { name: recipient })).toBeVisible();
});

test('mail log › shows a failed request and loads again', async ({ page }) => {
  await signInAsAdmin(page);
  await page.route('**/rest/v1/outbox*', (route) => route.abort());
  await page.goto('/admin/email-log');
  await expect(page.getByRole('alert').filter({ hasText: 'Não foi possível carregar' })).toBeVisible();
  await page.unroute('**/rest/v1/outbox*');
  await page.getByRole('button', { name: 'Tentar novamente' }).click();
  await expect(rows(page).nth(1)).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`mail log › has no accessibility violations in the ${colorScheme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await openSession(page);
    await page.goto('/admin/email-log');
    await expect(rows(page).nth(1)).toBeVisible();
    await expectAccessible(page);
  });
}
