// Impersonation ('Ver como cliente'): an administrator sees the portal as a client, read-only.

import { expect, type Locator } from '@playwright/test';

import { submitAdminSignIn, test } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { expectOk, signIn } from '../../helpers/api.ts';
import { seedDocument } from '../../helpers/documents.ts';

test("impersonation › shows the client's portal and changes nothing", async ({ page, app }) => {
  const client = await app.newClient('Vista Valéria');
  const other = await app.newClient('Não Vista');
  const id = await seedDocument(app, client, { name: 'Contrato da Valéria' });
  await seedDocument(app, other, { name: 'Documento alheio' });
  const clientApi = await signIn(app.portaria, client);
  const ticket = { subject: 'Dúvida da Valéria', message: 'Quando vence o contrato?' };
  await expectOk(clientApi.from('tickets').insert(ticket));

  await submitAdminSignIn(page);
  await page.goto(`/admin/clients/view/${client.id}`);
  await page.getByRole('button', { name: 'Ver como cliente' }).click();
  await expect(page).toHaveURL('/');
  const banner = page.getByRole('complementary', { name: 'Visualização como cliente' });
  await expect(banner).toContainText('Você está vendo o portal como Vista Valéria. Somente leitura.');

  await test.step('opens documents without a receipt', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Documentos' }).click();
    await page.getByRole('link', { name: /Faturas/ }).click();
    await expect(page.getByText('Documento alheio')).toBeHidden();
    await page.getByRole('link', { name: 'Contrato da Valéria' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Contrato da Valéria' })).toBeVisible();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Baixar Documento' }).click();
    await download;
    const receipts = await expectOk(app.admin.from('document_receipts').select('id').eq('document_id', id));
    expect(receipts.data).toEqual([]);
  });

  await test.step('refuses every change with a message', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Tickets' }).click();
    await page.getByRole('button', { name: 'Fechar' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Fechar' }).click();
    await expect(page.getByText('aqui nada pode ser alterado')).toBeVisible();
    const { data } = await expectOk(clientApi.from('tickets').select('status'));
    expect(data).toEqual([{ status: 'open' }]);
    // The profile shows the client. A change must not reach the administrator's own account.
    await page.goto('/perfil');
    await expect(banner).toBeVisible();
    await expect(page.getByLabel('Nome completo')).toHaveValue('Vista Valéria');
    await expect(page.getByRole('main').getByText(client.email, { exact: true })).toBeVisible();
    await page.getByLabel('Nome completo').fill('Outro nome');
    await page.getByRole('button', { name: 'Salvar nome' }).click();
    await expect(page.getByText('aqui nada pode ser alterado')).toBeVisible();
    const { user } = (await expectOk(app.admin.auth.getUser())).data;
    expect(user.user_metadata['full_name']).not.toBe('Outro nome');
    // Calendar link and data export are for the client alone.
    await expect(page.getByText('O link do calendário é secreto: só o próprio cliente o vê.')).toBeVisible();
    await page.getByRole('button', { name: 'Baixar meus dados' }).click();
    await expect(page.getByText('Só a própria pessoa pode fazer isto.')).toBeVisible();
  });

  await test.step('has no accessibility violations', async () => {
    await page.goto('/');
    await expect(banner).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expectAccessible(page);
  });

  await test.step('returns to the back office', async () => {
    await page.getByRole('button', { name: 'Encerrar' }).click();
    await expect(page).toHaveURL(`/admin/clients/view/${client.id}`);
    await expect(page.getByRole('list', { name: 'Documentos' })).toContainText('Contrato da Valéria');
  });

  await test.step("'Sair' ends the impersonation and not the session", async () => {
    await page.getByRole('button', { name: 'Ver como cliente' }).click();
    await expect(banner).toBeVisible();
    const account = page.getByRole('button', { name: /Valéria/ });
    await account.click();
    const [button, menu] = [await boxOf(account), await boxOf(page.getByRole('group', { name: 'Conta' }))];
    expect(menu.y).toBeGreaterThan(button.y + button.height);
    await page.getByRole('button', { name: 'Sair', exact: true }).click();
    await expect(page).toHaveURL(`/admin/clients/view/${client.id}`);
    await expect(banner).toBeHidden();
  });

  await test.step('leads back when its token is invalid', async () => {
    await page.getByRole('button', { name: 'Ver como cliente' }).click();
    await expect(banner).toBeVisible();
    await page.evaluate(() => {
      const session = JSON.parse(sessionStorage.getItem('portaria-viewing') ?? '{}');
      sessionStorage.setItem('portaria-viewing', JSON.stringify({ ...session, token: 'a.b.c' }));
    });
    await page.reload();
    await expect(page).toHaveURL('/admin/dashboard');
    await expect(banner).toBeHidden();
  });
});

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (!box) throw new Error('The element is not shown.');
  return box;
}
