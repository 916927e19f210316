// The inbox: files are read on the server, reviewed, and published to their clients after the time to undo it.

import { expect, type Page } from '@playwright/test';

import type { Portaria } from '../../fixtures/server.ts';
import { signInAsAdmin, test, type TestApp } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { expectOk, type Person, serviceClient, signIn } from '../../helpers/api.ts';
import { createClientWithTaxId, deletePerson } from '../../helpers/clients.ts';
import { pdfWithText } from '../../helpers/pdf.ts';
import { chooseOption, pdfFile } from '../../helpers/upload.ts';

/** Time until a publication at once, with that of its job. Milliseconds. */
const PUBLICATION_MS = 90_000;

const tab = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Grupo' }).getByRole('button', { name });

const das = (taxId: string, month: string) =>
  pdfWithText(
    [
      'Documento de Arrecadação do Simples Nacional - DAS',
      `CNPJ: ${taxId}`,
      `Período de Apuração: ${month}`,
      'Data de Vencimento: 20/12/2026',
      'Valor Total do Documento: 143,59',
    ].join('\n'),
  );

async function openInbox(page: Page): Promise<void> {
  await signInAsAdmin(page);
  await page.goto('/admin/documents/bulk');
  await expect(page.getByRole('heading', { level: 1, name: 'Caixa de entrada' })).toBeVisible();
}

async function visibleDocuments(portaria: Portaria, person: Person): Promise<string[]> {
  const client = await signIn(portaria, person);
  const rows = await expectOk(client.from('documents').select('name').order('name'));
  return rows.data.map(({ name }) => name);
}

/** Publishes the recognized file of one client. */
async function publishAlone(page: Page, client: string): Promise<void> {
  await page.getByRole('row', { name: client }).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Publicar 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publicar agora' }).click();
  await expect(page.getByRole('row', { name: client })).toBeHidden();
}

test('files of several clients are reviewed, published, undone and withdrawn', async ({ page, app }) => {
  test.slow();
  const padaria = await createClientWithTaxId(app, 'Padaria da Caixa', '11222333000181');
  const oficina = await createClientWithTaxId(app, 'Oficina da Caixa', '11444777000161');
  await openInbox(page);
  await page
    .getByLabel('Arquivos', { exact: true })
    .setInputFiles([
      pdfFile('guia 1.pdf', await das('11.222.333/0001-81', '11/2026')),
      pdfFile('guia 2.pdf', await das('11.444.777/0001-61', '11/2026')),
      pdfFile('aviso sem dono.pdf', await pdfWithText('Aviso que não cita ninguém')),
      pdfFile('danificado.pdf', Buffer.from('%PDF-1.7 nada')),
    ]);

  // Files without a client cannot be published, and those with a problem name it.
  await expect(tab(page, 'Sem dono')).toContainText('1');
  await tab(page, 'Com problema').click();
  await expect(page.getByRole('row', { name: 'danificado' })).toContainText('está danificado');
  await page.getByRole('checkbox', { name: 'Selecionar danificado' }).check();
  await page.getByRole('button', { name: 'Descartar' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Descartar' }).click();
  await expect(tab(page, 'Com problema')).toContainText('0');

  // No folder fits by its name, so both slips wait for it. One choice is for both.
  await tab(page, 'Em dúvida').click();
  await expect(page.getByRole('row', { name: 'Padaria da Caixa' })).toContainText('R$ 143,59');
  await expect(page.getByRole('row', { name: 'Oficina da Caixa' })).toContainText('11/2026');
  await page.getByRole('checkbox', { name: 'Selecionar todos' }).check();
  await chooseOption(page, 'Pasta dos selecionados', 'Faturas');
  await expect(tab(page, 'Reconhecidos')).toContainText('2');

  await tab(page, 'Reconhecidos').click();
  await reviewFirstSlip(page, app, oficina);
  await page.getByRole('button', { name: 'Publicar 2' }).click();
  const dialog = page.getByRole('dialog', { name: 'Publicar 2 documentos' });
  await expect(dialog.getByRole('listitem')).toContainText(['Oficina da Caixa', 'Padaria da Caixa']);
  await dialog.getByRole('button', { name: 'Publicar agora' }).click();
  await page.getByRole('button', { name: 'Desfazer' }).click();
  await expect(tab(page, 'Reconhecidos')).toContainText('2');
  await expect(tab(page, 'Agendados')).toContainText('0');

  // Each publication is undone by itself, and so are single files of it.
  await publishAlone(page, 'Oficina da Caixa');
  await publishAlone(page, 'Padaria da Caixa');
  const notices = page.getByText('1 documento será publicado em');
  await expect(notices).toHaveCount(2);
  await page.getByRole('button', { name: 'Desfazer' }).first().click();
  await expect(notices).toHaveCount(1);
  await tab(page, 'Agendados').click();
  await page.getByRole('row', { name: 'Padaria da Caixa' }).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Desfazer publicação' }).click();
  await tab(page, 'Reconhecidos').click();

  await page.getByRole('button', { name: 'Publicar 2' }).click();
  await dialog.getByRole('button', { name: 'Publicar agora' }).click();
  await expect(page.getByText('2 documentos serão publicados em')).toBeVisible();
  expect(await visibleDocuments(app.portaria, padaria)).toEqual([]);
  await expect(tab(page, 'Publicados')).toContainText('2', { timeout: PUBLICATION_MS });
  expect(await visibleDocuments(app.portaria, padaria)).toEqual(['DAS – novembro de 2026']);
  expect(await visibleDocuments(app.portaria, oficina)).toEqual(['DAS – novembro de 2026']);

  // The folder of the category is remembered, and can be forgotten.
  await page.getByRole('button', { name: 'Regras', exact: true }).click();
  const rules = page.getByRole('dialog', { name: 'Regras da caixa de entrada' });
  const rule = rules.getByRole('listitem').filter({ hasText: 'DAS → pasta' });
  await rule.getByRole('button', { name: /^Excluir: DAS/ }).click();
  await expect(page.getByText('Regra excluída')).toBeVisible();
  await expect(rule).toHaveCount(0);
  await page.keyboard.press('Escape');

  await tab(page, 'Publicados').click();
  const published = page.getByRole('row', { name: 'Padaria da Caixa' });
  await published.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Recolher' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Recolher' }).click();
  await expect(page.getByText('1 documento recolhido')).toBeVisible();
  expect(await visibleDocuments(app.portaria, padaria)).toEqual([]);
  expect(await visibleDocuments(app.portaria, oficina)).toHaveLength(1);

  // A withdrawn document says so, and is not withdrawn twice.
  await expect(published).toContainText(/Recolhido em \d{2}\/\d{2}\/\d{4}/);
  await published.getByRole('checkbox').check();
  await expect(page.getByText('1 selecionado')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Recolher' })).toBeHidden();
  await page.getByRole('checkbox', { name: 'Selecionar todos' }).check();
  await page.getByRole('button', { name: 'Recolher' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('1 documento deixará de aparecer');
  await question.getByRole('button', { name: 'Cancelar' }).click();

  await published.getByRole('button').first().click();
  const panel = page.getByRole('region', { name: 'guia 1.pdf' });
  await expect(panel.getByText(/^Recolhido em .* O cliente não vê mais este documento\.$/)).toBeVisible();
  await panel.getByRole('link', { name: 'Ver o documento recolhido' }).click();
  await expect(
    page.getByText(/^Recolhido em .*Padaria da Caixa não vê mais este documento\.$/),
  ).toBeVisible();
  await expect(page.getByLabel('Status')).toHaveAccessibleDescription(/^O cliente não vê o documento\./);
  await page.getByRole('button', { name: 'Publicar de novo' }).click();
  await expect(page.getByText('Documento publicado de novo')).toBeVisible();
  await expect(page.getByText(/^Recolhido em/)).toBeHidden();
  await expect(page.getByLabel('Status')).toHaveAccessibleDescription('O cliente vê e abre o documento.');
  expect(await visibleDocuments(app.portaria, padaria)).toEqual(['DAS – novembro de 2026']);
  await discardInbox(app.portaria);
  await deletePerson(app, padaria);
  await deletePerson(app, oficina);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`inbox › is used by keyboard and has no accessibility violations (${colorScheme})`, async ({
    browser,
    app,
  }) => {
    const context = await browser.newContext({ baseURL: app.portaria.url, colorScheme });
    const page = await context.newPage();
    await openInbox(page);
    await page
      .getByLabel('Arquivos', { exact: true })
      .setInputFiles([
        pdfFile('um.pdf', await pdfWithText('Primeiro aviso')),
        pdfFile('dois.pdf', await pdfWithText('Segundo aviso')),
      ]);
    await expect(tab(page, 'Sem dono')).toContainText('2');
    await tab(page, 'Sem dono').click();
    const names = page.getByRole('row').getByRole('button');
    await expect(names).toHaveCount(2);
    await names.first().press('Enter');
    const first = (await names.first().innerText()).trim();
    const second = (await names.nth(1).innerText()).trim();
    await expect(page.getByRole('region', { name: `${first}.pdf` })).toBeVisible();
    await page.keyboard.press('j');
    await expect(page.getByRole('region', { name: `${second}.pdf` })).toBeVisible();
    await page.keyboard.press('x');
    await expect(page.getByRole('checkbox', { name: `Selecionar ${second}` })).toBeChecked();
    await expect(page.getByRole('img', { name: 'Página 1' })).toBeVisible();
    await expectAccessible(page);
    await discardInbox(app.portaria);
    await context.close();
  });
}

/** The panel saves valid values only, and follows changes elsewhere. */
async function reviewFirstSlip(page: Page, app: TestApp, other: Person): Promise<void> {
  const files = serviceClient(app.portaria).from('inbox_files');
  const columns = 'client_id,amount_cents,expires_at,document_name';
  const readSlip = async () => (await expectOk(files.select(columns).eq('name', 'guia 1.pdf').single())).data;
  const before = await readSlip();
  await page.getByRole('row', { name: 'Padaria da Caixa' }).getByRole('button').first().click();
  const panel = page.getByRole('region', { name: 'guia 1.pdf' });
  const [name, due, amount] = [
    panel.getByLabel('Nome do documento'),
    panel.getByLabel('Vencimento'),
    panel.getByLabel('Valor (R$)'),
  ];
  await amount.fill('143.59');
  await due.press('Delete');
  await name.fill('');
  await amount.focus();
  await expect(panel.getByText('Informe um valor, como 1.234,56.')).toBeVisible();
  await expect(panel.getByText('Data inválida')).toBeVisible();
  await expect(name).toHaveValue('DAS – novembro de 2026');
  await amount.fill('143,59');
  await due.fill('2026-12-20');
  await amount.focus();
  await expect(panel.getByRole('alert')).toHaveCount(0);
  expect(await readSlip()).toEqual(before);

  const client = panel.getByLabel('Cliente');
  const moveTo = (id: string) => expectOk(files.update({ client_id: id }).eq('name', 'guia 1.pdf'));
  await moveTo(other.id);
  await expect(client).toHaveValue(other.name);
  await moveTo(before.client_id ?? '');
  await expect(client).toHaveValue('Padaria da Caixa');
  await page.route(/inbox_files\?id=in/, (route) => route.abort());
  await chooseOption(page, 'Cliente', other.name);
  await expect(page.getByText('Erro ao alterar o arquivo')).toBeVisible();
  await expect(client).toHaveValue('Padaria da Caixa');
  await page.unroute(/inbox_files\?id=in/);
  await panel.getByRole('button', { name: 'Fechar' }).click();
}

/** Empties the inbox for other tests. */
async function discardInbox(portaria: Portaria): Promise<void> {
  await expectOk(serviceClient(portaria).from('inbox_files').delete().not('id', 'is', null));
}
