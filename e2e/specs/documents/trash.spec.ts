// The trash of documents: deleted ones are restored, one or many, or removed for good.

import { expect, type Page } from '@playwright/test';

import { ADMIN } from '../../fixtures/server.ts';
import { openSession, signInAsAdmin, signInAsClient, test } from '../../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';
import { expectOk, present, signIn, unwrap } from '../../helpers/api.ts';
import { seedDocument, seedDocuments } from '../../helpers/documents.ts';
import { openRowMenu } from '../../helpers/lists.ts';

const bulkBar = (page: Page) => page.locator('[data-slot=bulk-bar]');
const search = (page: Page) => page.getByRole('searchbox', { name: 'Buscar por nome ou cliente...' });

test('trash › a deletion of many is undone, and the client has the documents and receipts back', async ({
  page,
  app,
  browser,
}) => {
  const person = await app.newClient('Padaria Lixeira & Filhos Ltda');
  const names = ['Guia da Lixeira', 'Holerite da Lixeira', 'Recibo da Lixeira'];
  const ids: string[] = [];
  for (const name of names) ids.push(await seedDocument(app, person, { name }));
  const guia = present(ids[0]);
  const api = await signIn(app.portaria, person);
  await expectOk(api.from('document_receipts').insert({ document_id: guia, action: 'opened' }));
  await openSession(page);
  await page.goto('/admin/documents?busca=da+Lixeira');
  await page.getByRole('checkbox', { name: 'Selecionar todos os carregados' }).check();
  await bulkBar(page).getByRole('button', { name: 'Excluir' }).click();
  const question = page.getByRole('alertdialog', { name: 'Confirmar Exclusão' });
  await expect(question).toContainText('30 dias na lixeira');
  await question.getByRole('button', { name: 'Excluir' }).click();
  await expect(page.getByText('3 documentos excluídos')).toBeVisible();
  await expect(page.getByText('Nenhum documento encontrado')).toBeVisible();

  const guest = await browser.newContext({ baseURL: app.portaria.url });
  const client = await guest.newPage();
  await signInAsClient(client, person);
  await client.goto('/documents/faturas');
  await expect(client.getByText('Guia da Lixeira')).toBeHidden();
  await client.goto(`/documents/view/${guia}`);
  await expect(client.getByText('Documento não encontrado')).toBeVisible();

  await page.getByRole('button', { name: 'Desfazer' }).click();
  await expect(page.getByText('3 documentos restaurados')).toBeVisible();
  for (const name of names) await expect(page.getByRole('row', { name })).toBeVisible();
  await client.goto('/documents/faturas');
  for (const name of names) await expect(client.getByText(name)).toBeVisible();
  await guest.close();
  const receipts = await unwrap(app.admin.from('document_receipts').select('action').eq('document_id', guia));
  expect(receipts).toEqual([{ action: 'opened' }]);
});

test('trash › shows who deleted a document, and restores or removes it', async ({ page, app }) => {
  const person = await app.newClient('Restaurante Volta Já');
  const kept = await seedDocument(app, person, { name: 'Contrato que volta' });
  const gone = await seedDocument(app, person, { name: 'Rascunho que some' });
  await expectOk(app.admin.from('documents').delete().in('id', [kept, gone]));
  await signInAsAdmin(page);
  await page.goto('/admin/documents');
  await page.getByRole('link', { name: 'Lixeira', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Lixeira' })).toBeVisible();
  await search(page).fill('volta ja');
  const row = page.getByRole('row', { name: 'Contrato que volta' });
  await expect(row).toContainText('Restaurante Volta Já');
  await expect(row).toContainText(ADMIN.email);
  await expect(page.getByRole('row', { name: 'Rascunho que some' })).toBeVisible();
  await expectAccessibleInBothThemes(page);

  await openRowMenu(page, 'Contrato que volta');
  await page.getByRole('menuitem', { name: 'Restaurar' }).click();
  await expect(page.getByText('1 documento restaurado')).toBeVisible();
  await expect(row).toBeHidden();
  await openRowMenu(page, 'Rascunho que some');
  await page.getByRole('menuitem', { name: 'Excluir definitivamente' }).click();
  const question = page.getByRole('alertdialog', { name: 'Excluir definitivamente' });
  await expect(question).toContainText('Rascunho que some');
  await expect(question).toContainText('não pode ser desfeita');
  await question.getByRole('button', { name: 'Excluir definitivamente' }).click();
  await expect(page.getByText('1 documento excluído definitivamente')).toBeVisible();
  await expect(page.getByText('Nenhum documento encontrado')).toBeVisible();
  const left = await unwrap(app.admin.from('documents').select('id').eq('client_id', person.id));
  expect(left).toEqual([{ id: kept }]);
  expect(await unwrap(app.admin.from('deleted_documents').select('id').eq('id', gone))).toEqual([]);
});

test('trash › documents of a deleted folder are restored into another one', async ({ page, app }) => {
  const person = await app.newClient('Oficina Sem Pasta');
  await expectOk(app.admin.from('folders').insert({ id_supabase: 'passageira', name: 'Passageira' }));
  const ids = [];
  for (const name of ['Laudo um', 'Laudo dois'])
    ids.push(await seedDocument(app, person, { name, folder: 'passageira' }));
  await expectOk(app.admin.from('documents').delete().in('id', ids));
  await expectOk(app.admin.from('folders').delete().eq('id_supabase', 'passageira'));
  await openSession(page);
  await page.goto('/admin/documents/trash?busca=Laudo');
  await expect(page.getByRole('row', { name: 'Laudo um' })).toBeVisible();
  await page.getByRole('checkbox', { name: 'Selecionar todos os carregados' }).check();
  await bulkBar(page).getByRole('button', { name: 'Restaurar' }).click();
  const dialog = page.getByRole('dialog', { name: 'Restaurar em qual pasta?' });
  await dialog.getByLabel('Pasta').fill('Contra');
  await page.getByRole('option', { name: 'Contratos' }).click();
  await dialog.getByRole('button', { name: 'Restaurar' }).click();
  await expect(page.getByText('2 documentos restaurados')).toBeVisible();
  await expect(dialog).toBeHidden();
  const rows = await unwrap(app.admin.from('documents').select('folder_id_supabase').in('id', ids));
  expect(rows).toEqual([{ folder_id_supabase: 'contratos' }, { folder_id_supabase: 'contratos' }]);
});

test('trash › emptying counts what is gone before an error, and spares later deletions', async ({
  page,
  app,
}) => {
  const { admin } = app;
  await expectOk(admin.from('deleted_documents').delete().not('id', 'is', null));
  const person = await app.newClient('Arquivo Cheio');
  const late = await seedDocument(app, person, { name: 'Caixa tardia' });
  await seedDocuments(
    app,
    person,
    Array.from({ length: 150 }, (_, at) => `Caixa ${at}`),
  );
  await expectOk(admin.from('documents').delete().eq('client_id', person.id).neq('id', late));
  let requests = 0;
  await page.route('**/rest/v1/deleted_documents?*', async (route) => {
    if (route.request().method() !== 'DELETE') return await route.continue();
    requests += 1;
    if (requests === 2) return await route.fulfill({ status: 503 });
    if (requests === 3) await expectOk(admin.from('documents').delete().eq('id', late));
    return await route.continue();
  });
  await openSession(page);
  await page.goto('/admin/documents/trash');
  await expect(page.getByRole('row', { name: 'Caixa' })).toHaveCount(50);
  const empty = async () => {
    await page.getByRole('button', { name: 'Esvaziar lixeira' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Esvaziar' }).click();
  };
  await empty();
  await expect(page.getByText('100 documentos excluídos definitivamente. Tente novamente.')).toBeVisible();
  const left = await admin.from('deleted_documents').select('id', { count: 'exact', head: true });
  expect(left.count).toBe(50);
  await empty();
  await expect(page.getByText('50 documentos excluídos definitivamente')).toBeVisible();
  await expect(page.getByRole('row', { name: 'Caixa' })).toHaveText(/Caixa tardia/);
});
