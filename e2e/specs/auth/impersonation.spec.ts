// 'Ver como cliente': the office looks at the portal as a client sees it, and leaves no trace in it.

import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Locator } from '@playwright/test';

import { submitAdminSignIn, test } from '../../fixtures/test.ts';
import { expectOk, signIn } from '../../helpers/api.ts';
import { seedDocument } from '../../helpers/documents.ts';

test('an administrator sees what the client sees, and changes nothing', async ({ page, app }) => {
  const client = await app.newClient('Vista Valéria');
  const other = await app.newClient('Não Vista');
  const id = await seedDocument(app, client, { name: 'Contrato da Valéria' });
  await seedDocument(app, other, { name: 'Documento alheio' });
  const theirs = await signIn(app.portaria, client);
  const ticket = { subject: 'Dúvida da Valéria', message: 'Quando vence o contrato?' };
  await expectOk(theirs.from('tickets').insert(ticket));

  await submitAdminSignIn(page);
  await page.goto(`/admin/clients/view/${client.id}`);
  await page.getByRole('button', { name: 'Ver como cliente' }).click();
  await expect(page).toHaveURL('/');
  const banner = page.getByRole('complementary', { name: 'Visualização como cliente' });
  await expect(banner).toContainText('Você está vendo o portal como Vista Valéria. Somente leitura.');

  await test.step('opens their documents, and nobody has opened them', async () => {
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

  await test.step('is refused every change, in words', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Tickets' }).click();
    await page.getByRole('button', { name: 'Fechar' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Fechar' }).click();
    await expect(page.getByText('aqui nada pode ser alterado')).toBeVisible();
    const { data } = await expectOk(theirs.from('tickets').select('status'));
    expect(data).toEqual([{ status: 'open' }]);
    // The profile shows the client; a change of it must not reach the administrator's own account.
    await page.goto('/perfil');
    await expect(banner).toBeVisible();
    await expect(page.getByLabel('Nome completo')).toHaveValue('Vista Valéria');
    await expect(page.getByRole('main').getByText(client.email, { exact: true })).toBeVisible();
    await page.getByLabel('Nome completo').fill('Outro nome');
    await page.getByRole('button', { name: 'Salvar nome' }).click();
    await expect(page.getByText('aqui nada pode ser alterado')).toBeVisible();
    const { user } = (await expectOk(app.admin.auth.getUser())).data;
    expect(user.user_metadata['full_name']).not.toBe('Outro nome');
    // What a person takes with them is for that person alone.
    await expect(page.getByText('O link do calendário é secreto: só o próprio cliente o vê.')).toBeVisible();
    await page.getByRole('button', { name: 'Baixar meus dados' }).click();
    await expect(page.getByText('Só a própria pessoa pode fazer isto.')).toBeVisible();
  });

  await test.step('has no fault that axe can find', async () => {
    await page.goto('/');
    await expect(banner).toBeVisible();
    await page.waitForLoadState('networkidle');
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id: rule, nodes }) => [rule, nodes.map(({ html }) => html)])).toEqual([]);
  });

  await test.step('comes back to the office', async () => {
    await page.getByRole('button', { name: 'Encerrar' }).click();
    await expect(page).toHaveURL(`/admin/clients/view/${client.id}`);
    await expect(page.getByRole('list', { name: 'Documentos' })).toContainText('Contrato da Valéria');
  });

  await test.step("'Sair' leaves the view, not the office", async () => {
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

  await test.step('is led back when the view is over', async () => {
    await page.getByRole('button', { name: 'Ver como cliente' }).click();
    await expect(banner).toBeVisible();
    await page.evaluate(() => {
      const kept = JSON.parse(sessionStorage.getItem('portaria-viewing') ?? '{}');
      sessionStorage.setItem('portaria-viewing', JSON.stringify({ ...kept, token: 'a.b.c' }));
    });
    await page.reload();
    await expect(page).toHaveURL('/admin/dashboard');
    await expect(banner).toBeHidden();
  });
});

async function boxOf(shown: Locator) {
  const box = await shown.boundingBox();
  if (!box) throw new Error('It is not shown.');
  return box;
}
