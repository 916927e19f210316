// The selection of a whole group of the inbox, which is longer than the part of it that the page has loaded, and the
// files on which a colleague decides meanwhile.

import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, test, type TestApp } from '../../fixtures/test.ts';
import { expectOk, serviceClient, unwrap } from '../../helpers/api.ts';
import { seedRecognizedFiles } from '../../helpers/inbox.ts';
import { chooseOption } from '../../helpers/upload.ts';

/** More files than the page loads at once. */
const FILES = 300;

const selectAll = (page: Page) => page.getByRole('checkbox', { name: 'Selecionar todos os arquivos' });
const groups = (page: Page) => page.getByRole('group', { name: 'Grupo' });

async function openGroup(page: Page, app: TestApp) {
  const [bakery, workshop] = [await app.newClient('Padaria Trezentos'), await app.newClient('Oficina Cem')];
  seedRecognizedFiles(app, { client: bakery.id, folder: 'faturas', count: FILES - 100 });
  seedRecognizedFiles(app, { client: workshop.id, folder: 'faturas', count: 100 });
  await signInAsAdmin(page);
  await page.goto('/admin/documents/bulk?grupo=recognized');
  await expect(groups(page)).toContainText(`Reconhecidos ${FILES}`);
  return { bakery, workshop };
}

/** Number of files whose documents will be in a folder. */
async function countIn(app: TestApp, folder: string): Promise<number | null> {
  const files = serviceClient(app.portaria).from('inbox_files');
  const found = files.select('*', { count: 'exact', head: true }).eq('folder_id_supabase', folder);
  return (await expectOk(found)).count;
}

async function discardAll(app: TestApp): Promise<void> {
  await expectOk(serviceClient(app.portaria).from('inbox_files').delete().not('id', 'is', null));
}

test('inbox › one click selects a whole group, which is changed and published', async ({ page, app }) => {
  await openGroup(page, app);
  await selectAll(page).click();
  await expect(page.getByText(`${FILES} selecionados`)).toBeVisible();
  await expect(selectAll(page)).toBeChecked();

  await chooseOption(page, 'Pasta dos selecionados', 'Contratos');
  await expect.poll(() => countIn(app, 'contratos')).toBe(FILES);
  await expect(page.getByText(`${FILES} selecionados`)).toBeVisible();

  await test.step('a file that arrives later is neither selected nor published', async () => {
    const late = await app.newClient('Retardatária');
    seedRecognizedFiles(app, { client: late.id, folder: 'faturas', count: 1 });
    await expect(groups(page)).toContainText(`Reconhecidos ${FILES + 1}`, { timeout: 30_000 });
    await expect(selectAll(page)).toBeChecked({ indeterminate: true });
    await page.getByRole('button', { name: `Publicar ${FILES}`, exact: true }).click();
    const dialog = page.getByRole('dialog', { name: `Publicar ${FILES} documentos` });
    await expect(dialog.getByRole('listitem')).toContainText([
      /Oficina Cem.*100 documentos/,
      /Padaria Trezentos.*200 documentos/,
    ]);
    await dialog.getByRole('button', { name: 'Publicar agora' }).click();
    await expect(groups(page)).toContainText('Reconhecidos 1');
    await expect(groups(page)).toContainText(`Agendados ${FILES}`);
    await expect(page.getByRole('row', { name: 'Retardatária' })).toBeVisible();
  });
  await discardAll(app);
});

test('inbox › a client that was typed and given up is assigned to no file', async ({ page, app }) => {
  const [owner, other] = [await app.newClient('Mercado Dono'), await app.newClient('Oficina Outra')];
  seedRecognizedFiles(app, { client: owner.id, folder: 'faturas', count: 2 });
  await signInAsAdmin(page);
  await page.goto('/admin/documents/bulk?grupo=recognized');
  const files = page.getByRole('row', { name: 'Mercado Dono' });
  await files.first().getByRole('checkbox').check();
  await chooseOption(page, 'Cliente dos selecionados', 'Oficina Outra');
  await expect(files).toHaveCount(1);
  await files.getByRole('checkbox').check();
  const client = page.getByRole('combobox', { name: 'Cliente dos selecionados' });
  await client.click();
  for (const key of ['ControlOrMeta+a', 'Backspace', 'Escape']) await client.press(key);
  await chooseOption(page, 'Pasta dos selecionados', 'Contratos');
  await expect.poll(() => countIn(app, 'contratos')).toBe(2);
  const assigned = serviceClient(app.portaria).from('inbox_files').select('id').eq('client_id', other.id);
  expect(await unwrap(assigned)).toHaveLength(1);

  await test.step('a file without a client stays open until it has a folder too', async () => {
    app.portaria.execSql(
      "UPDATE inbox_files SET client_id = NULL, folder_id_supabase = NULL, review_group = 'no_owner'",
    );
    await page.goto('/admin/documents/bulk?grupo=no_owner');
    await page.getByRole('row', { name: 'Guia 1' }).getByRole('button').first().click();
    const panel = page.getByRole('region', { name: 'guia 1.pdf' });
    await chooseOption(page, 'Cliente', 'Oficina Outra');
    await expect(panel).toContainText('Escolha a pasta');
    await chooseOption(page, 'Pasta', 'Contratos');
    await expect(page.getByRole('region', { name: 'guia 2.pdf' })).toBeVisible();
    await expect(groups(page)).toContainText('Reconhecidos 1');
  });
  await discardAll(app);
});

test('inbox › the group that is worked on stays while it has files, without its selection afterwards', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Padaria Sem Pasta');
  seedRecognizedFiles(app, { client: client.id, folder: 'faturas', count: FILES });
  app.portaria.execSql("UPDATE inbox_files SET folder_id_supabase = NULL, review_group = 'doubtful'");
  await signInAsAdmin(page);
  await page.goto('/admin/documents/bulk');
  const doubtful = groups(page).getByRole('button', { name: 'Em dúvida' });
  await page.getByRole('row').nth(1).getByRole('checkbox').check();
  await chooseOption(page, 'Pasta dos selecionados', 'Faturas');
  await expect(groups(page)).toContainText('Reconhecidos 1');
  await expect(doubtful).toHaveAttribute('aria-pressed', 'true');
  await selectAll(page).click();
  await expect(page.getByText(`${FILES - 1} selecionados`)).toBeVisible();
  await chooseOption(page, 'Pasta dos selecionados', 'Faturas');
  await expect(groups(page)).toContainText(`Reconhecidos ${FILES}`);
  await expect(doubtful).toHaveAttribute('aria-pressed', 'false');
  await expect(page.getByRole('button', { name: `Publicar ${FILES}`, exact: true })).toBeVisible();
  await expect(page.getByText('selecionados')).toBeHidden();
  await discardAll(app);
});

test('inbox › a group is selected by keyboard, and not at all without its last files', async ({
  page,
  app,
}) => {
  await openGroup(page, app);
  await page.route(/inbox_files\?.*offset=200/, (route) => route.abort());
  await selectAll(page).focus();
  await page.keyboard.press('Space');
  const failure = page.getByText('Sem conexão com o servidor. Verifique sua internet e tente novamente.');
  await expect(page.getByText('Erro ao selecionar')).toBeVisible();
  await expect(failure).toBeVisible();
  await expect(selectAll(page)).toBeFocused();
  await expect(selectAll(page)).not.toBeChecked();
  await expect(page.getByText('selecionados')).toBeHidden();

  await page.unroute(/inbox_files\?.*offset=200/);
  await page.keyboard.press('Space');
  await expect(page.getByText(`${FILES} selecionados`)).toBeVisible();
  await expect(failure).toBeHidden();

  await test.step('an interrupted change shows which files it reached, and is completed by another one', async () => {
    let changes = 0;
    await page.route(/inbox_files\?id=in/, (route) => {
      changes += 1;
      return changes === 2 ? route.abort() : route.continue();
    });
    await chooseOption(page, 'Pasta dos selecionados', 'Contratos');
    await expect(page.getByText('Erro ao alterar o arquivo')).toBeVisible();
    await expect(page.getByRole('row').nth(1)).toContainText('Contratos');
    expect(await countIn(app, 'contratos')).toBe(100);
    await chooseOption(page, 'Pasta dos selecionados', 'Contratos');
    await expect.poll(() => countIn(app, 'contratos')).toBe(FILES);
  });
  await selectAll(page).click();
  await expect(page.getByText('selecionados')).toBeHidden();
  await discardAll(app);
});

test('inbox › a decision of a colleague does not take away the file in which somebody types', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Padaria a Dois');
  seedRecognizedFiles(app, { client: client.id, folder: 'faturas', count: 3 });
  app.portaria.execSql("UPDATE inbox_files SET folder_id_supabase = NULL, review_group = 'doubtful'");
  await signInAsAdmin(page);
  await page.goto('/admin/documents/bulk?grupo=doubtful');
  await page.getByRole('row').filter({ hasText: 'Guia 1' }).getByRole('button').first().click();
  const panel = (file: RegExp) => page.getByRole('region', { name: file });
  const name = panel(/guia 1/).getByLabel('Nome do documento');
  await name.fill('Guia de novembro');
  const files = app.admin.from('inbox_files');
  await expectOk(files.update({ folder_id_supabase: 'faturas' }).eq('name', 'guia 1.pdf'));
  await expect(page.getByRole('row').filter({ hasText: 'Guia 1' })).toBeHidden();
  await expect(panel(/guia 1/)).toContainText('Um colega já conferiu este arquivo.');
  await expect(name).toBeFocused();
  await expect(name).toHaveValue('Guia de novembro');
  // The first change can be taken back.
  for (const text of ['Guia de novembro', 'Guia 1']) {
    await name.fill(text);
    await name.press('Enter');
    await expect
      .poll(async () => (await expectOk(files.select('document_name'))).data)
      .toContainEqual({ document_name: text });
  }
  await panel(/guia 1/)
    .getByRole('button', { name: 'Ir para o próximo' })
    .click();
  // Own decisions lead to the next file, also two in quick succession.
  const next =
    (await panel(/guia [23]/)
      .getByRole('heading')
      .textContent()) ?? '';
  await panel(/guia [23]/)
    .getByLabel('Nome do documento')
    .fill('Guia renomeada');
  await chooseOption(page, 'Pasta', 'Faturas');
  await expect(panel(/guia [23]/)).not.toHaveAccessibleName(next);
  await expect(panel(/guia [23]/)).not.toContainText('Um colega');

  await test.step('a colleague publishes the files of an open dialog', async () => {
    await groups(page).getByRole('button', { name: 'Reconhecidos' }).click();
    await page.getByRole('button', { name: 'Publicar 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Publicar 2 documentos' });
    await expect(dialog).toBeVisible();
    const recognized = await unwrap(files.select('id').eq('review_group', 'recognized'));
    await expectOk(app.admin.rpc('publish_inbox', { files: recognized.map(({ id }) => id), at: null }));
    await expect(page.getByText('Não há mais o que publicar')).toBeVisible();
    await expect(page.getByRole('dialog')).toBeHidden();
  });
  await discardAll(app);
});
