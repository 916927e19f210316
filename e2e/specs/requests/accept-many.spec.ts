// Requests: the office accepts many answers at once.

import { expect, type Page } from '@playwright/test';

import { openSession, test, type TestApp } from '../../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';
import { expectOk, type Person, signIn, unwrap } from '../../helpers/api.ts';
import { pdfWithText } from '../../helpers/pdf.ts';

const MONTH = '2026-11';
const bulkBar = (page: Page) => page.locator('[data-slot=bulk-bar]');
const dialog = (page: Page) => page.getByRole('dialog', { name: /^Aceitar/ });

/** Asks a client for items, each of which the client answers with one file. Returns the ids of the items. */
async function answerItems(app: TestApp, client: Person, names: string[]): Promise<string[]> {
  const rows = names.map((name) => ({ client_id: client.id, name, month: MONTH }));
  const items = await unwrap(app.admin.from('request_items').insert(rows).select('id,name'));
  const session = await signIn(app.portaria, client);
  const pdf = new Blob([new Uint8Array(await pdfWithText('extrato'))], { type: 'application/pdf' });
  for (const { id, name } of items) {
    const path = `${client.id}/${id}/${Date.now()}-extrato.pdf`;
    await unwrap(session.storage.from('received-files').upload(path, pdf));
    await expectOk(
      session.from('received_files').insert({ item_id: id, name: `${name}.pdf`, file_url: path }),
    );
  }
  return names.map((name) => items.find((item) => item.name === name)?.id ?? '');
}

async function chooseAll(page: Page): Promise<void> {
  await page.goto('/admin/solicitacoes');
  await page.getByRole('checkbox', { name: 'Selecionar todos os carregados' }).check();
}

const statusOf = async (app: TestApp, client: Person) =>
  (
    await unwrap(
      app.admin.from('request_items').select('name,status').eq('client_id', client.id).order('name'),
    )
  ).map(({ name, status }) => `${name}: ${status}`);

test('requests › many answers are accepted at once, and one that changed meanwhile is named', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Marta Muitas');
  const [, changed = ''] = await answerItems(app, client, ['Extrato', 'Folha', 'Notas']);
  await openSession(page);
  await chooseAll(page);
  await bulkBar(page).getByRole('button', { name: 'Aceitar 3' }).click();
  await expectAccessibleInBothThemes(page);
  await dialog(page).getByRole('button', { name: 'Aceitar 3' }).click();
  await expect(dialog(page).getByText('Escolha uma pasta.')).toBeVisible();
  await dialog(page).getByLabel('Pasta').selectOption('Contratos');
  await expectOk(
    app.admin
      .from('request_items')
      .update({ status: 'refused', refusal_reason: 'Ilegível' })
      .eq('id', changed),
  );
  await dialog(page).getByRole('button', { name: 'Aceitar 3' }).click();
  await expect(page.getByText('2 respostas aceitas')).toBeVisible();
  await expect(
    dialog(page).getByRole('list', { name: 'Respostas não aceitas' }).getByRole('listitem'),
  ).toHaveText(['Folha de Marta Muitas: A situação do item mudou.']);
  await dialog(page).getByRole('button', { name: 'Fechar', exact: true }).click();
  await expect(bulkBar(page)).toBeHidden();
  await expect(page.getByText('Nada para conferir')).toBeVisible();
  expect(await statusOf(app, client)).toEqual(['Extrato: accepted', 'Folha: refused', 'Notas: accepted']);
  const documents = await unwrap(
    app.admin.from('documents').select('name,folder_id_supabase').eq('client_id', client.id).order('name'),
  );
  expect(documents.map(({ name }) => name)).toEqual(['Extrato', 'Notas']);
});

test('requests › answers that the server did not take are left, and accepted in the next attempt', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Nilo Queda');
  await answerItems(app, client, ['Balancete', 'Comprovante', 'Diário']);
  await openSession(page);
  await chooseAll(page);
  await bulkBar(page).getByRole('button', { name: 'Aceitar 3' }).click();
  await dialog(page).getByLabel('Pasta').selectOption('Contratos');
  // The answer to the second item is lost after the server took it; then the server is away.
  let calls = 0;
  await page.route('**/rpc/file_received_files', async (route) => {
    calls += 1;
    if (calls === 2) await route.fetch();
    await (calls === 1 ? route.continue() : route.abort());
  });
  await dialog(page).getByRole('button', { name: 'Aceitar 3' }).click();
  await expect(page.getByText('1 resposta aceita', { exact: true })).toBeVisible();
  await expect(dialog(page).getByRole('alert')).toContainText(
    'O servidor deixou de responder. 2 respostas ainda não foram aceitas.',
  );
  await page.unroute('**/rpc/file_received_files');
  await dialog(page).getByRole('button', { name: 'Tentar novamente' }).click();
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByText('2 respostas aceitas')).toBeVisible();
  expect(await statusOf(app, client)).toEqual([
    'Balancete: accepted',
    'Comprovante: accepted',
    'Diário: accepted',
  ]);
  const documents = await unwrap(app.admin.from('documents').select('id').eq('client_id', client.id));
  expect(documents).toHaveLength(3);
});

test('requests › an answer is found by its item and by its client', async ({ page, app }) => {
  const client = await app.newClient('Zélia Procurada');
  const other = await app.newClient('Ivo Presente');
  await answerItems(app, client, ['Extrato da poupança', 'Folha de ponto']);
  await answerItems(app, other, ['Guia do sindicato']);
  await openSession(page);
  await page.goto('/admin/solicitacoes');
  const rows = page.getByRole('table', { name: 'Respostas para conferir' }).getByRole('row');
  const search = page.getByRole('searchbox');
  await expect(rows).toHaveCount(4);
  await search.fill('POUPANCA');
  await expect(rows).toContainText(['Item', 'Extrato da poupança']);
  await expect(rows).toHaveCount(2);
  await search.fill('zelia');
  await expect(rows).toHaveCount(3);
  await expect(page).toHaveURL('/admin/solicitacoes?busca=zelia');
  await page.reload();
  await expect(search).toHaveValue('zelia');
  await expect(rows).toHaveCount(3);
  await search.fill('nada assim');
  await expect(page.getByText('Nenhuma resposta encontrada')).toBeVisible();
});

test('requests › a long item has two lines on a phone', async ({ page, app }) => {
  const client = await app.newClient('Rita Comprida');
  const name = 'Extrato bancário de todas as contas correntes e de poupança da matriz e das filiais';
  await answerItems(app, client, [name]);
  await page.setViewportSize({ width: 390, height: 844 });
  await openSession(page);
  await page.goto('/admin/solicitacoes');
  const title = page.getByRole('cell', { name, exact: true });
  const { height, line } = await title.evaluate((cell) => ({
    height: cell.querySelector('button')?.offsetHeight ?? 0,
    line: Number.parseFloat(getComputedStyle(cell).lineHeight),
  }));
  expect(height).toBeGreaterThan(line * 1.5);
  expect(height).toBeLessThan(line * 2.5);
});
