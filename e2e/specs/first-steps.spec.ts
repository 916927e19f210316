// First steps of a new office: each is ticked from real data, can be skipped, and the dashboard leads to them.

import { expect, type Page } from '@playwright/test';

import { startSmtpServer } from '../fixtures/smtp-server.ts';
import { createTestApp, signInAsAdmin, test as base, type TestApp } from '../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../helpers/accessibility.ts';
import { deletePerson } from '../helpers/clients.ts';

/** An office without clients, whose mails arrive. */
const test = base.extend<object, { app: TestApp }>({
  app: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads what a fixture needs from this pattern.
    async ({}, provide) => {
      const smtp = await startSmtpServer();
      const app = await createTestApp(smtp.settings);
      await provide(app);
      await app.portaria.stop();
      await smtp.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
});

const step = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const card = (page: Page) => page.getByRole('list', { name: 'Primeiros passos' });

test('first steps › a new office is set up, and its dashboard no longer leads to them', async ({
  page,
  app,
}) => {
  // The test message leaves with the next delivery, and the page reads its state again.
  test.slow();
  await signInAsAdmin(page);
  await expect(card(page).getByRole('listitem')).toHaveText([
    'O escritório: por fazer',
    'E-mails: por fazer',
    'Colegas: por fazer',
    'Primeiros cadastros: por fazer',
  ]);
  await expectAccessibleInBothThemes(page);
  await page.getByRole('link', { name: 'Começar' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Primeiros passos' })).toBeVisible();
  await expect(page.getByText('0 de 4 passos feitos')).toBeVisible();
  await expectAccessibleInBothThemes(page);

  await step(page, 'O escritório').getByRole('link', { name: 'Abrir Configurações' }).click();
  await page.getByLabel('Nome do escritório').fill('Prado Contabilidade e Assessoria');
  await page.getByLabel('E-mail', { exact: true }).fill('contato@prado.com.br');
  await page.getByRole('button', { name: 'Salvar Configurações' }).click();
  await expect(page.getByText('Configurações salvas com sucesso!')).toBeVisible();
  await page.getByRole('link', { name: 'Primeiros passos' }).click();
  await expect(step(page, 'O escritório').getByText('Feito')).toBeVisible();
  await expect(step(page, 'O escritório').getByText('Logotipo: falta')).toBeVisible();

  const mails = step(page, 'E-mails');
  await expect(mails.getByText('4 avisos estão desligados')).toBeVisible();
  await mails.getByRole('button', { name: 'Ligar estes avisos' }).click();
  await expect(page.getByText('Avisos ligados')).toBeVisible();
  await expect(mails.getByText('Os clientes recebem um e-mail')).toBeVisible();
  await mails.getByRole('button', { name: 'Enviar um teste para mim' }).click();
  await expect(page.getByText('Teste na fila de e-mails')).toBeVisible();
  await expect(mails.getByText('Feito')).toBeVisible({ timeout: 30_000 });

  await step(page, 'Colegas').getByRole('button', { name: 'Pular: Colegas' }).click();
  await expect(step(page, 'Colegas').getByText('Pulado')).toBeVisible();
  await page.reload();
  await expect(step(page, 'Colegas').getByRole('button', { name: 'Convidar colega' })).toHaveCount(0);
  await step(page, 'Colegas').getByRole('button', { name: 'Retomar: Colegas' }).click();
  await step(page, 'Colegas').getByRole('button', { name: 'Convidar colega' }).click();
  const invitation = page.getByRole('dialog', { name: 'Convidar colega' });
  await invitation.getByLabel('Nome Completo').fill('Clara Colega');
  await invitation.getByLabel('Email').fill('clara@prado.com.br');
  await invitation.getByRole('button', { name: 'Enviar convite' }).click();
  await expect(step(page, 'Colegas').getByText('Feito')).toBeVisible();
  await expect(page.getByText('3 de 4 passos feitos')).toBeVisible();
  await expectAccessibleInBothThemes(page);

  const client = await app.newClient('Primeira Cliente Ltda');
  await page.reload();
  await expect(step(page, 'Primeiros cadastros').getByText('O portal tem 1 cliente.')).toBeVisible();
  await expect(page.getByText('4 de 4 passos feitos')).toBeVisible();
  await page.getByRole('link', { name: 'Voltar ao Dashboard' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await expect(card(page)).toHaveCount(0);
  await deletePerson(app, client);
});

test('first steps › the card of the dashboard is dismissed', async ({ page }) => {
  await signInAsAdmin(page);
  await expect(card(page)).toBeVisible();
  await page.getByRole('button', { name: 'Dispensar' }).click();
  await expect(page.getByText('Continuam em Configurações.')).toBeVisible();
  await expect(card(page)).toHaveCount(0);
  await page.reload();
  await expect(page.getByText('Precisa de atenção')).toBeVisible();
  await expect(card(page)).toHaveCount(0);
});
