// Administration of folders.

import { expect, type Page } from '@playwright/test';

import { openSession, test } from '../fixtures/test.ts';
import { addDocument, expectOk, serviceClient } from '../helpers/api.ts';
import { samplePdf } from '../helpers/pdf.ts';

const rows = (page: Page) => page.getByRole('list', { name: 'Pastas' }).getByRole('listitem');
const row = (page: Page, name: string) =>
  rows(page).filter({ has: page.getByRole('button', { name: `Editar ${name}`, exact: true }) });

/** The names of the folders in the displayed order. */
const order = async (page: Page) =>
  rows(page).evaluateAll((items) =>
    items.map((item) => item.querySelector('[aria-label^="Editar "]')?.ariaLabel?.slice('Editar '.length)),
  );

test.beforeEach(async ({ page, app }) => {
  // Other tests of this worker create folders too.
  const all = serviceClient(app.portaria).from('folders');
  await expectOk(
    all.upsert(
      [
        { id_supabase: 'contratos', name: 'Contratos', position: 1, archived_at: null },
        { id_supabase: 'faturas', name: 'Faturas', position: 2, archived_at: null },
        { id_supabase: 'documentos-pessoais', name: 'Documentos Pessoais', position: 3, archived_at: null },
      ],
      { onConflict: 'id_supabase' },
    ),
  );
  await openSession(page);
  await page.goto('/admin/folders');
  await expect(row(page, 'Contratos')).toBeVisible();
});

test('folder › is created, renamed, and given an icon and a kind; its slug does not change', async ({
  page,
  app,
}) => {
  await page.getByRole('button', { name: 'Nova Pasta' }).click();
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect(page.getByText('O nome da pasta é obrigatório.')).toBeVisible();
  await page.getByLabel('Nome *').fill('contratos ');
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect(page.getByText('Já existe uma pasta com este nome.')).toBeVisible();
  await page.getByLabel('Nome *').fill('Certidões & alvarás');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Continuar editando' }).click();
  await page.getByText('Maleta', { exact: true }).click();
  await page.getByLabel('Tipo').selectOption('Aviso');
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect(page.getByText('Pasta criada com sucesso!')).toBeVisible();
  await expect(row(page, 'Certidões & alvarás')).toContainText('0 documentos · Aviso');
  await page.getByRole('button', { name: 'Editar Certidões & alvarás' }).click();
  await expect(page.getByRole('radio', { name: 'Maleta' })).toBeChecked();
  await page.getByLabel('Nome *').fill('Certidões');
  await page.getByLabel('Tipo').selectOption('Nenhum');
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect(page.getByText('Pasta atualizada com sucesso!')).toBeVisible();
  await expect(row(page, 'Certidões')).toHaveText(/0 documentos(?! ·)/);
  const created = await serviceClient(app.portaria).from('folders').select().eq('name', 'Certidões').single();
  expect(created.data).toMatchObject({ id_supabase: 'certidoes-alvaras', icon: 'briefcase', kind: null });
  await page.getByRole('button', { name: 'Excluir Certidões' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Excluir' }).click();
  await expect(page.getByText('Pasta excluída com sucesso!')).toBeVisible();
  await expect(row(page, 'Certidões')).toBeHidden();
});

test('folder › is listed although its answer was lost, and is not created again', async ({ page, app }) => {
  // Without announcements the list is as old as its last request.
  await page.routeWebSocket(/realtime/, () => {});
  await page.reload();
  await expect(row(page, 'Contratos')).toBeVisible();
  await page.route(
    (url) => url.pathname === '/rest/v1/folders' && !url.searchParams.has('select'),
    (route) => route.fetch().then(() => route.abort()),
    { times: 1 },
  );
  await page.getByRole('button', { name: 'Nova Pasta' }).click();
  await page.getByLabel('Nome *').fill('Sem resposta');
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect(page.getByText('Erro ao salvar pasta')).toBeVisible();
  await expect(page.getByText('Sem resposta')).toBeVisible();
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect(page.getByText('Já existe uma pasta com este nome.')).toBeVisible();
  await expectOk(serviceClient(app.portaria).from('folders').delete().eq('name', 'Sem resposta'));
});

test('folder › saving without changes succeeds', async ({ page }) => {
  await page.getByRole('button', { name: 'Editar Faturas' }).click();
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect(page.getByText('Pasta atualizada com sucesso!')).toBeVisible();
});

test("folder › saving keeps a colleague's changes to other fields", async ({ page, app }) => {
  await page.getByRole('button', { name: 'Editar Faturas' }).click();
  await page.getByLabel('Nome *').fill('Faturas e guias');
  const folder = () => serviceClient(app.portaria).from('folders');
  const hold = { legal_hold_reason: 'Processo 12', retention_months: 60, auto_delete: true };
  await expectOk(folder().update(hold).eq('id_supabase', 'faturas'));
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect(page.getByText('Pasta atualizada com sucesso!')).toBeVisible();
  const saved = folder()
    .select('name,legal_hold_reason,retention_months,auto_delete')
    .eq('id_supabase', 'faturas');
  expect((await expectOk(saved.single())).data).toEqual({ name: 'Faturas e guias', ...hold });
  const before = { legal_hold_reason: null, retention_months: null, auto_delete: false };
  await expectOk(folder().update(before).eq('id_supabase', 'faturas'));
});

test('folder list › is reordered by keyboard and pointer, and clients see the new order', async ({
  page,
  app,
  browser,
}) => {
  expect((await order(page)).slice(0, 3)).toEqual(['Contratos', 'Faturas', 'Documentos Pessoais']);
  const up = page.getByRole('button', { name: 'Mover Faturas para cima' });
  await up.focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => order(page)).toEqual(['Faturas', 'Contratos', 'Documentos Pessoais']);
  await expect(page.getByText('Faturas: posição 1 de 3.')).toBeAttached();
  // At the end of the list the button is disabled and keeps the focus.
  await expect(up).toBeDisabled();
  await expect(up).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(up).toBeFocused();
  const grip = row(page, 'Documentos Pessoais').locator('[data-slot=grip]');
  const [from, to] = [await grip.boundingBox(), await row(page, 'Faturas').boundingBox()];
  if (!from || !to) throw new Error('The list is not shown.');
  const saved = page.waitForResponse('**/rpc/order_folders');
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(from.x + from.width / 2, to.y + to.height / 2, { steps: 8 });
  await page.mouse.up();
  expect((await saved).status()).toBe(204);
  const expected = ['Documentos Pessoais', 'Faturas', 'Contratos'];
  await expect.poll(() => order(page)).toEqual(expected);
  await page.reload();
  await expect.poll(() => order(page)).toEqual(expected);
  const clientPage = await browser.newPage({ baseURL: app.portaria.url });
  await openSession(clientPage, await app.newClient('Lídia Moura'));
  await clientPage.goto('/documents');
  const links = clientPage
    .getByRole('main')
    .getByRole('link', { name: /Contratos|Faturas|Documentos Pessoais/ });
  await expect(links).toContainText(expected);
  await clientPage.close();
});

test('folder › is archived and restored', async ({ page }) => {
  await page.getByRole('button', { name: 'Arquivar Faturas' }).click();
  await expect(page.getByText('Pasta arquivada')).toBeVisible();
  await expect(row(page, 'Faturas')).toContainText('Arquivada');
  await page.getByRole('button', { name: 'Restaurar Faturas' }).click();
  await expect(page.getByText('Pasta restaurada')).toBeVisible();
  await expect(row(page, 'Faturas')).not.toContainText('Arquivada');
});

test('folder › with documents is deleted only by moving them to another folder', async ({
  page,
  app,
  browser,
}) => {
  const client = await app.newClient('Marcos Vidal');
  const folder = { id_supabase: 'passageira', name: 'Passageira', position: 9 };
  await expectOk(serviceClient(app.portaria).from('folders').insert(folder));
  const document = await addDocument(app.admin, client, 'passageira', await samplePdf());
  await page.reload();
  await expect(row(page, 'Passageira')).toContainText('1 documento');
  await page.getByRole('button', { name: 'Excluir Passageira' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Mover e excluir' }).click();
  await expect(question.getByText('Escolha a pasta que recebe os documentos.')).toBeVisible();
  await question.getByLabel('Mover 1 documento para *').selectOption('Contratos');
  await question.getByRole('button', { name: 'Mover e excluir' }).click();
  await expect(page.getByText('Pasta excluída com sucesso!')).toBeVisible();
  await expect(row(page, 'Passageira')).toBeHidden();
  const clientPage = await browser.newPage({ baseURL: app.portaria.url });
  await openSession(clientPage, client);
  await clientPage.goto(`/documents/view/${document.id}`);
  await expect(clientPage.getByRole('link', { name: 'Contratos', exact: true })).toBeVisible();
  await clientPage.close();
});

test('folder list › shows failed requests and restores the order', async ({ page, app }) => {
  // The order and its audit event are saved in one transaction.
  await app.portaria.withBrokenTable('activity', async () => {
    await page.getByRole('button', { name: 'Mover Faturas para cima' }).click();
    await expect(page.getByText('Erro ao ordenar pastas')).toBeVisible();
    await expect.poll(async () => (await order(page)).slice(0, 2)).toEqual(['Contratos', 'Faturas']);
  });
  await app.portaria.withBrokenTable('folders', async () => {
    await page.reload();
    await expect(page.getByText('Erro ao buscar pastas')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Tentar novamente' })).toBeVisible();
  });
  await page.getByRole('button', { name: 'Tentar novamente' }).click();
  await expect(row(page, 'Faturas')).toBeVisible();
});
