// The page of a client.

import { expect } from '@playwright/test';

import { openSession, signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { expectOk, signIn } from '../../helpers/api.ts';
import { clientSearch } from '../../helpers/clients.ts';
import { seedDocument } from '../../helpers/documents.ts';
import { seedRecognizedFiles } from '../../helpers/inbox.ts';

test.describe('client page', () => {
  test('shows the account, documents, tickets and receipts', async ({ page, app }) => {
    const client = await app.newClient('Página da Paula');
    const id = await seedDocument(app, client, { name: 'Contrato da Paula', expires: '2026-01-31' });
    const paula = await signIn(app.portaria, client);
    await expectOk(
      paula.from('tickets').insert({ subject: 'Dúvida da Paula', message: 'Quando vence o contrato?' }),
    );
    await expectOk(paula.from('document_receipts').insert({ document_id: id, action: 'opened' }));
    await openSession(page);
    await page.goto('/admin/clients');
    await clientSearch(page).fill('pagina da paula');
    await page.getByRole('link', { name: 'Página da Paula', exact: true }).click();
    await expect(page).toHaveURL(`/admin/clients/view/${client.id}`);
    await expect(page.getByRole('definition').filter({ hasText: client.email })).toBeVisible();
    await expect(page.getByText('Ainda não entrou')).toBeHidden();
    await expect(page.getByRole('list', { name: 'Documentos' })).toContainText('Vencido em 31/01/2026');
    await expect(
      page.getByRole('list', { name: 'Tickets' }).getByRole('link', { name: 'Dúvida da Paula' }),
    ).toBeVisible();
    const opened = page.getByRole('list', { name: 'O que foi aberto' });
    await expect(opened).toContainText('Contrato da Paula');
    await expect(opened).toContainText(/Aberto em \d{2}\/\d{2}\/\d{4} às \d{2}:\d{2}/);
    await page.getByRole('link', { name: 'Novo Documento' }).click();
    await expect(page.getByLabel('Cliente')).toHaveValue('Página da Paula');
  });

  test('shows the number of records to delete, and deletes the client', async ({ page, app }) => {
    const client = await app.newClient('Excluída Elisa');
    await seedDocument(app, client, { name: 'Vai junto' });
    seedRecognizedFiles(app, { client: client.id, folder: 'faturas', count: 2 });
    // A published file is counted as its document.
    app.portaria.execSql(
      `UPDATE inbox_files SET state = 'published', review_group = 'published' WHERE client_id = '${client.id}' AND name = 'guia 1.pdf'`,
    );
    await openSession(page);
    await page.goto(`/admin/clients/view/${client.id}`);
    await page.getByRole('button', { name: 'Excluir' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Confirmar Exclusão' });
    await expect(dialog).toContainText('Serão excluídos junto: 1 documento e 1 arquivo da Caixa de entrada.');
    await dialog.getByRole('button', { name: 'Cancelar' }).click();
    await expect(dialog).toBeHidden();
    await page.getByRole('button', { name: 'Excluir' }).click();
    await dialog.getByRole('button', { name: 'Excluir' }).click();
    await expect(
      page.getByText('A exclusão do cliente Excluída Elisa foi executada no servidor.'),
    ).toBeVisible();
    await expect(page).toHaveURL('/admin/clients');
    const remaining = await app.admin.from('documents').select('id').eq('name', 'Vai junto');
    expect(remaining.data).toEqual([]);
  });

  test('of a missing client leads back to the list', async ({ page }) => {
    await openSession(page);
    await page.goto('/admin/clients/view/019b7600-0000-7000-8000-00000000dead');
    await expect(page.getByText('Erro ao carregar cliente')).toBeVisible();
    await expect(page).toHaveURL('/admin/clients');
  });
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`client screens › have no accessibility violations in the ${colorScheme} theme`, async ({
    browser,
    app,
  }) => {
    const client = await app.newClient('Axel Axe');
    await seedDocument(app, client, { name: 'Documento do Axel' });
    const context = await browser.newContext({ baseURL: app.portaria.url, colorScheme });
    const page = await context.newPage();
    await signInAsAdmin(page);
    for (const path of [`/admin/clients/view/${client.id}`, '/admin/clients/import', '/admin/clients/new']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.waitForLoadState('networkidle');
      await expectAccessible(page);
    }
    await context.close();
  });
}
