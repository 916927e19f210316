// Lists of the back office: order, filters, columns, selection, keys, and their forms in narrow windows.

import { expect, type Page } from '@playwright/test';

import { openSession, test, type TestApp } from '../fixtures/test.ts';
import { expectAccessible } from '../helpers/accessibility.ts';
import { expectOk, type Person, signIn, unwrap } from '../helpers/api.ts';
import { dayFromNow } from '../helpers/clock.ts';
import { seedDocument } from '../helpers/documents.ts';
import { addTicket } from '../helpers/tickets.ts';

const table = (page: Page, name = 'Documentos') => page.getByRole('table', { name });
const titles = (page: Page) => table(page).getByRole('link');
/** A request for many rows at once, as for the selection of all. */
const READING = /\/documents\?.*limit=200\b/;
const bulkBar = (page: Page) => page.locator('[data-slot=bulk-bar]');

/** Documents of one client, in the order of their due dates. */
async function seedClient(app: TestApp, name: string): Promise<Person> {
  const person = await app.newClient(name);
  for (const [title, due] of [
    ['DAS', dayFromNow(-2)],
    ['FGTS', dayFromNow(3)],
    ['IPTU', dayFromNow(40)],
  ] as const) {
    await seedDocument(app, person, { name: `${title} de ${name}`, expires: due });
  }
  return person;
}

test('list › order and filters outlive a page in between and a reload', async ({ page, app }) => {
  await seedClient(app, 'Lia Ordem');
  await openSession(page);
  await page.goto('/admin/documents?busca=Lia+Ordem');
  await page.getByRole('combobox', { name: 'Vencimento' }).selectOption('Em 7 dias');
  await expect(titles(page)).toHaveText(['FGTS de Lia Ordem']);
  await page.getByRole('combobox', { name: 'Vencimento' }).selectOption('Todos');
  const heading = page.getByRole('columnheader', { name: 'Vencimento' });
  await heading.getByRole('button').click();
  const byDue = ['DAS de Lia Ordem', 'FGTS de Lia Ordem', 'IPTU de Lia Ordem'];
  await expect(titles(page)).toHaveText(byDue);
  await page.getByRole('combobox', { name: 'Abertura' }).selectOption('Não abertos');
  const address = '/admin/documents?busca=Lia+Ordem&ordem=vencimento&abertura=nao-abertos';
  await expect(page).toHaveURL(address);
  await titles(page).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'DAS de Lia Ordem' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(address);
  await expect(titles(page)).toHaveText(byDue);
  await page.reload();
  await expect(titles(page)).toHaveText(byDue);
  await expect(heading).toHaveAttribute('aria-sort', 'ascending');
  await expect(page.getByRole('searchbox')).toHaveValue('Lia Ordem');
  await page.getByRole('button', { name: 'Limpar filtros' }).click();
  await expect(page).toHaveURL('/admin/documents');
  await expect(page.getByRole('searchbox')).toHaveValue('');
});

test('list › documents are filtered by what their client did', async ({ page, app }) => {
  const person = await seedClient(app, 'Nei Filtro');
  const rows = await unwrap(app.admin.from('documents').select('id,name').eq('client_id', person.id));
  const idOf = (name: string) => rows.find((row) => row.name.startsWith(name))?.id ?? '';
  const client = await signIn(app.portaria, person);
  await expectOk(client.from('document_receipts').insert({ document_id: idOf('DAS'), action: 'opened' }));
  await expectOk(app.admin.from('documents').update({ kind: 'contrato' }).eq('id', idOf('FGTS')));
  await expectOk(app.admin.from('documents').update({ status: 'pending' }).eq('id', idOf('IPTU')));
  await openSession(page);
  await page.goto('/admin/documents?busca=Nei+Filtro');
  for (const [filter, option, names] of [
    ['Abertura', 'Abertos', ['DAS']],
    ['Abertura', 'Não abertos', ['FGTS']],
    ['Tipo', 'Contrato', ['FGTS']],
    // The kind of the folder counts for documents without one.
    ['Tipo', 'Fatura', ['IPTU', 'DAS']],
    ['Situação', 'Pendentes', ['IPTU']],
    ['Pasta', 'Faturas', ['IPTU', 'FGTS', 'DAS']],
  ] as const) {
    const chip = page.getByRole('combobox', { name: filter });
    await chip.selectOption(option);
    await expect(titles(page)).toHaveText(names.map((name) => `${name} de Nei Filtro`));
    await chip.selectOption('');
  }
});

test('list › selected documents are moved, reminded and deleted at once', async ({ page, app }) => {
  const person = await seedClient(app, 'Ravi Lote');
  const held = await seedDocument(app, person, { name: 'Retido de Ravi Lote' });
  await expectOk(app.admin.from('documents').update({ legal_hold_reason: 'Processo 1' }).eq('id', held));
  await openSession(page);
  await page.goto('/admin/documents?busca=Ravi+Lote');
  await expect(titles(page)).toHaveCount(4);
  // A range, from the first to the third row.
  await page.getByRole('checkbox', { name: 'Selecionar Retido' }).click();
  await page.getByRole('checkbox', { name: 'Selecionar FGTS' }).click({ modifiers: ['Shift'] });
  await expect(bulkBar(page).getByRole('status')).toHaveText('3 selecionados');
  await bulkBar(page).getByRole('button', { name: 'Mover' }).click();
  await page.getByRole('dialog').getByLabel('Pasta').selectOption('Contratos');
  await page.getByRole('dialog').getByRole('button', { name: 'Mover' }).click();
  await expect(page.getByText('3 documentos movidos')).toBeVisible();
  await expect(bulkBar(page)).toBeHidden();
  await expect(table(page).getByRole('cell', { name: 'Contratos' })).toHaveCount(3);

  await page.getByRole('checkbox', { name: 'Selecionar DAS' }).check();
  await bulkBar(page).getByRole('button', { name: 'Lembrar' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Lembrar' }).click();
  await expect(page.getByText('1 lembrete na fila de e-mails')).toBeVisible();

  await page.getByRole('checkbox', { name: 'Selecionar todos os carregados' }).check();
  await bulkBar(page).getByRole('button', { name: 'Excluir' }).click();
  const question = page.getByRole('alertdialog', { name: 'Confirmar Exclusão' });
  await expect(question).toContainText('4 documentos serão excluídos');
  await question.getByRole('button', { name: 'Cancelar' }).click();
  await expect(titles(page)).toHaveCount(4);
  await bulkBar(page).getByRole('button', { name: 'Excluir' }).click();
  await question.getByRole('button', { name: 'Excluir' }).click();
  await expect(page.getByText('3 documentos excluídos')).toBeVisible();
  await expect(page.getByText('1 continua, sob guarda legal')).toBeVisible();
  await expect(titles(page)).toHaveText(['Retido de Ravi Lote']);
  const remaining = await unwrap(app.admin.from('documents').select('id').eq('client_id', person.id));
  expect(remaining).toEqual([{ id: held }]);
});

test('list › another filter ends the selection, and all pages can be selected', async ({ page, app }) => {
  const person = await app.newClient('Sara Todas');
  const rows = Array.from({ length: 260 }, (_, at) => ({
    client_id: person.id,
    folder_id_supabase: 'contratos',
    name: `Aviso ${at}`,
    type: 'pdf',
  }));
  await expectOk(app.admin.from('documents').insert(rows));
  await openSession(page);
  await page.goto('/admin/documents?busca=Sara+Todas');
  // Going back leads to the same row of a long list, and renders the others after it.
  await expect
    .poll(async () => {
      await titles(page).last().scrollIntoViewIfNeeded();
      return titles(page).count();
    })
    .toBeGreaterThan(150);
  const left = await titles(page).nth(140).textContent();
  const link = page.getByRole('link', { name: left ?? '', exact: true });
  await link.click();
  await expect(page.getByRole('heading', { name: left ?? '' })).toBeVisible();
  await page.goBack();
  await expect(link).toBeInViewport();
  await expect.poll(() => titles(page).count()).toBeGreaterThan(150);
  await page.getByRole('checkbox', { name: 'Selecionar todos os carregados' }).check();
  await bulkBar(page).getByRole('button', { name: 'Selecionar todos' }).click();
  await expect(bulkBar(page).getByRole('status')).toHaveText('260 selecionados');
  await expect(bulkBar(page).getByRole('button', { name: 'Selecionar todos' })).toBeHidden();
  // A row that leaves the list leaves the selection, and no other does.
  const [first = ''] = await titles(page).allTextContents();
  await expectOk(app.admin.from('documents').delete().match({ client_id: person.id, name: first }));
  await expect(bulkBar(page).getByRole('status')).toHaveText('259 selecionados');
  await page.getByRole('combobox', { name: 'Pasta' }).selectOption('Contratos');
  await expect(bulkBar(page)).toBeHidden();

  // Another filter also ends the reading of all rows: they would be selected out of sight.
  await page.getByRole('checkbox', { name: 'Selecionar todos os carregados' }).check();
  await page.route(READING, () => undefined);
  await bulkBar(page).getByRole('button', { name: 'Selecionar todos' }).click();
  await Promise.all([
    page.waitForEvent('requestfailed', (request) => READING.test(request.url())),
    page.getByRole('combobox', { name: 'Abertura' }).selectOption('Não abertos'),
  ]);
  await page.getByRole('checkbox', { name: 'Selecionar Aviso' }).first().check();
  await expect(bulkBar(page).getByRole('status')).toHaveText('1 selecionado');
  await expect(page.getByText('Erro ao selecionar')).toBeHidden();
});

test('list › columns and height of rows are kept for each person', async ({ page, app }) => {
  await seedClient(app, 'Tito Colunas');
  await openSession(page);
  await page.goto('/admin/documents?busca=Tito+Colunas');
  const heading = (name: string) => page.getByRole('columnheader', { name });
  const row = table(page).getByRole('row').nth(1);
  await expect(heading('Pasta')).toBeVisible();
  expect((await row.boundingBox())?.height).toBeCloseTo(48, 0);
  await page.getByRole('button', { name: 'Exibição' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Pasta' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Tipo' }).click();
  await page.getByRole('menuitemradio', { name: 'Compacta' }).click();
  await page.keyboard.press('Escape');
  await expect(heading('Pasta')).toBeHidden();
  await page.reload();
  await expect(heading('Tipo')).toBeVisible();
  await expect(heading('Pasta')).toBeHidden();
  expect((await row.boundingBox())?.height).toBeCloseTo(36, 0);
});

test('list › a status has room in its column', async ({ page, app }) => {
  const person = await app.newClient('Tadeu Andamento');
  await addTicket(app.portaria, person, { subject: 'Guia em andamento', status: 'in-progress' });
  await openSession(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/admin/tickets?busca=Guia+em+andamento');
  const status = table(page, 'Tickets').getByRole('cell', { name: 'Em andamento', exact: true });
  await expect(status).toBeVisible();
  expect(await status.evaluate((cell) => cell.scrollWidth - cell.clientWidth)).toBe(0);
});

test('list › keys move, select and open, but not while a person types', async ({ page, app }) => {
  await seedClient(app, 'Ugo Teclas');
  await openSession(page);
  await page.goto('/admin/documents?busca=Ugo+Teclas');
  await expect(titles(page)).toHaveCount(3);
  await page.keyboard.press('j');
  await expect(titles(page).first()).toBeFocused();
  await page.keyboard.press('j');
  await expect(titles(page).nth(1)).toBeFocused();
  await page.keyboard.press('x');
  await expect(page.getByRole('checkbox', { name: 'Selecionar FGTS' })).toBeChecked();
  await page.keyboard.press('k');
  await expect(titles(page).first()).toBeFocused();
  await bulkBar(page).getByRole('button', { name: 'Excluir' }).click();
  await page.keyboard.press('x');
  await page.keyboard.press('Escape');
  await expect(bulkBar(page).getByRole('status')).toHaveText('1 selecionado');
  await page.getByRole('searchbox').focus();
  await page.keyboard.type('jxk');
  await expect(page.getByRole('searchbox')).toHaveValue('Ugo Teclasjxk');
  await page.getByRole('searchbox').fill('Ugo Teclas');
  await expect(titles(page)).toHaveCount(3);
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'IPTU de Ugo Teclas' })).toBeVisible();
});

test('list › is a table on a tablet and cards on a phone', async ({ page, app }) => {
  await seedClient(app, 'Vera Larga');
  await openSession(page);
  await page.setViewportSize({ width: 768, height: 1024 });
  await page.goto('/admin/documents?busca=Vera+Larga');
  const row = table(page).getByRole('row', { name: 'FGTS de Vera Larga' });
  expect((await row.boundingBox())?.height).toBeCloseTo(48, 0);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(async () => (await row.boundingBox())?.height).toBeGreaterThan(80);
  await expect(row).toContainText('Vera Larga');
  await page.getByRole('button', { name: /^Filtros/ }).click();
  await page.getByLabel('Ordenar por').selectOption('Vencimento ↑');
  await expect(titles(page)).toHaveText(['DAS de Vera Larga', 'FGTS de Vera Larga', 'IPTU de Vera Larga']);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.getByRole('checkbox', { name: 'Selecionar DAS' }).check();
  await bulkBar(page).getByRole('button', { name: 'Selecionar todos' }).click();
  await expect(bulkBar(page).getByRole('status')).toHaveText('3 selecionados');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`list › has no accessibility violations in the ${colorScheme} theme`, async ({ page, app }) => {
    await seedClient(app, `Zoe ${colorScheme}`);
    await page.emulateMedia({ colorScheme });
    await openSession(page);
    await page.goto(`/admin/documents?busca=Zoe+${colorScheme}&vencimento=7-dias`);
    await page.getByRole('checkbox', { name: 'Selecionar FGTS' }).check();
    await expect(bulkBar(page)).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Exibição' }).click();
    await expect(page.getByRole('menu')).toBeVisible();
    await expectAccessible(page, { include: '[role=menu]' });
  });
}
