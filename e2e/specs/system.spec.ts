// The page 'Sistema': the state of the installation.

import { expect, type Page } from '@playwright/test';

import { startPortaria } from '../fixtures/server.ts';
import { signInAsAdmin, test } from '../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../helpers/accessibility.ts';

const line = (page: Page, title: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

test('system page › names what is well and what needs the operator, with the next step', async ({ page }) => {
  await signInAsAdmin(page);
  await page.getByRole('link', { name: 'Ver o sistema' }).click();
  await expect(page).toHaveURL('/admin/system');
  await expect(page.getByRole('heading', { name: 'Sistema', exact: true })).toBeVisible();
  for (const section of ['Programa', 'Banco e arquivos', 'E-mails', 'Backup', 'Tarefas diárias']) {
    await expect(page.getByRole('heading', { name: section, level: 2, exact: true })).toBeVisible();
  }
  await expect(line(page, 'Versão')).toContainText('Portaria');
  await expect(line(page, 'Banco de dados')).toContainText('OK');
  await expect(line(page, 'Arquivos')).toContainText('Gravar, ler e apagar');
  await expect(line(page, 'Servidor de e-mail')).toContainText('Atenção');
  await expect(line(page, 'Servidor de e-mail')).toContainText('O que fazer: Ponha em smtp_url');
  await expect(page.getByRole('status').filter({ hasText: 'Examinado em' })).toContainText(
    'pontos de atenção',
  );
  await expectAccessibleInBothThemes(page);

  await page.getByRole('link', { name: 'Voltar às configurações' }).click();
  await page.getByRole('link', { name: 'estado do sistema' }).click();
  await expect(page).toHaveURL('/admin/system');
});

test('system page › shows a failure without its text, and keeps the last report while the server is away', async ({
  browser,
}) => {
  const portaria = await startPortaria({
    settings: { PORTARIA_SMTP_URL: 'smtp://127.0.0.1:9', PORTARIA_MAIL_FROM: 'portal@prado.com.br' },
  });
  const context = await browser.newContext({ baseURL: portaria.url });
  const page = await context.newPage();
  try {
    await signInAsAdmin(page);
    await page.goto('/admin/system');
    await expect(line(page, 'Servidor de e-mail')).toContainText('Erro');
    await expect(line(page, 'Servidor de e-mail')).toContainText('127.0.0.1:9 não aceita e-mails do portal.');
    await expect(page.getByRole('main')).not.toContainText('refused');
    await expectAccessibleInBothThemes(page);

    const examined = page.getByRole('status').filter({ hasText: 'Examinado em' });
    await expect(examined).toContainText('1 erro');
    await page.getByRole('button', { name: 'Examinar de novo' }).click();
    await expect(page.getByRole('button', { name: 'Examinar de novo' })).not.toHaveAttribute('aria-busy');
    await expect(examined).toContainText('1 erro');

    // The server is away: the last report stays, and the page says that it could not be renewed.
    await portaria.stopServer();
    await page.getByRole('button', { name: 'Examinar de novo' }).click();
    await expect(page.getByText('Erro ao examinar o sistema')).toBeVisible();
    await expect(line(page, 'Versão')).toBeVisible();
  } finally {
    await context.close();
    await portaria.stop();
  }
});
