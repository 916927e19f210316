// The upload of many documents: no document reaches a client whom no person chose.

import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';

import { holdRequest, signInAsAdmin, test, type TestApp } from '../../fixtures/test.ts';
import { expectOk, type Person, serviceClient } from '../../helpers/api.ts';
import { createClientWithTaxId, deletePerson } from '../../helpers/clients.ts';
import { pdfWithText } from '../../helpers/pdf.ts';
import { chooseOption, holdClientSearch, pdfFile, UNKNOWN_TAX_ID } from '../../helpers/upload.ts';

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test.describe('bulk upload', () => {
  test('thirty files without a tax id wait for one confirmation that lists them', async ({ page, app }) => {
    await setNotification(app, 'fatura_new', true);
    const zulmira = await app.newClient('Zulmira Trinta');
    const uploads = watchUploads(page);
    await openBulkUpload(page, zulmira);
    const bytes = await pdfWithText('Contrato de prestação de serviços');
    const names = Array.from({ length: 30 }, (_, at) => `Contrato ${String(at + 1).padStart(2, '0')}.pdf`);
    await page.getByLabel('Arquivos *').setInputFiles(names.map((name) => pdfFile(name, bytes)));
    // The text of thirty files is read first.
    await expect(recipients(page)).toContainText('Zulmira Trinta (30 documentos) recebe aviso por e-mail', {
      timeout: 60_000,
    });

    const dialog = page.getByRole('alertdialog', { name: '30 arquivos sem identificação' });
    await page.getByRole('button', { name: 'Enviar 30 documentos' }).click();
    // The list of the files is not part of the text that a screen reader reads out.
    await expect(dialog).toHaveAccessibleDescription(
      'São todos de Zulmira Trinta? Não há CPF nem CNPJ nos nomes dos arquivos, nem nos textos que puderam ser lidos.',
    );
    await expect(dialog.getByRole('listitem')).toContainText(names);
    await expect(dialog).toContainText('Zulmira Trinta (30 documentos) recebe aviso por e-mail');
    await dialog.getByRole('button', { name: 'Voltar e conferir' }).click();
    await expect(dialog).toBeHidden();
    expect(uploads).toEqual([]);

    await page.getByRole('button', { name: 'Enviar 30 documentos' }).click();
    // A double click sends each file once.
    await dialog.getByRole('button', { name: 'Confirmar e enviar' }).dblclick();
    await expect(report(page)).toContainText('30 documentos enviados', { timeout: 90_000 });
    await expect(report(page)).toContainText('Zulmira Trinta: 30 documentos');
    expect(await documentNames(app, zulmira)).toEqual(names.map((name) => name.replace('.pdf', '')));
    expect(
      (await app.portaria.mails()).some(
        ({ event, recipient }) => event === 'fatura_new' && recipient === zulmira.email,
      ),
    ).toBe(true);
  });

  test('a file name with a foreign tax id waits for its own decision', async ({ page, app }) => {
    await setNotification(app, 'fatura_new', false);
    const zenobia = await app.newClient('Zenóbia Escolhida');
    const other = await createClientWithTaxId(app, 'Yolanda do Nome', '11444777000161');
    const uploads = watchUploads(page);
    await openBulkUpload(page, zenobia);
    const bytes = await pdfWithText('Guia de recolhimento');
    const punctuated = 'Guia 11.444.777-0001-61.pdf';
    const plain = 'DAS_11444777000161_outubro.pdf';
    const unknown = 'CPF52998224725 recibo.pdf';
    await page
      .getByLabel('Arquivos *')
      .setInputFiles([punctuated, plain, unknown].map((name) => pdfFile(name, bytes)));
    await expect(question(page, punctuated)).toBeVisible();
    await expect(line(page, punctuated)).toContainText(
      'O nome do arquivo traz o CNPJ 11.444.777/0001-61, de Yolanda do Nome.',
    );
    await expect(line(page, unknown)).toContainText(
      'O nome do arquivo traz o CPF 529.982.247-25, que não é de nenhum cliente.',
    );
    await expect(recipients(page)).toHaveText('3 arquivos esperam a sua decisão.');

    // The button leads to the next question until all of them are answered.
    const send = page.getByRole('button', { name: /^Enviar \d documentos?$/ });
    await send.click();
    await expect(question(page, punctuated).getByRole('radio').first()).toBeFocused();
    await expect(question(page, punctuated)).toContainText('Escolha uma das opções.');
    await decide(page, punctuated, 'Enviar para Yolanda do Nome');
    await expect(recipients(page)).toContainText('Yolanda do Nome (1 documento) não será avisado');
    await send.click();
    await expect(question(page, plain).getByRole('radio').first()).toBeFocused();
    // Another client is another question.
    await decide(page, plain, 'Enviar para Zenóbia Escolhida');
    await chooseOption(page, 'Cliente', other.name);
    await expect(question(page, plain)).toBeHidden();
    await chooseOption(page, 'Cliente', zenobia.name);
    await expect(question(page, plain).getByRole('radio', { checked: true })).toHaveCount(0);
    await decide(page, punctuated, 'Enviar para Yolanda do Nome');
    await decide(page, plain, 'Enviar para Zenóbia Escolhida');
    await expect(question(page, unknown).getByRole('radio')).toHaveCount(2);
    await decide(page, unknown, 'Deixar de fora');
    await expect(recipients(page)).toContainText('Zenóbia Escolhida (1 documento) não será avisado');
    expect(uploads).toEqual([]);

    await send.click();
    await expect(report(page)).toContainText('2 documentos enviados');
    await expect(report(page)).toContainText('Yolanda do Nome: 1 documento');
    await expect(report(page)).toContainText('Zenóbia Escolhida: 1 documento');
    await expect(report(page)).toContainText(`Deixado de fora: ${unknown}`);
    expect(await documentNames(app, zenobia)).toEqual(['DAS_11444777000161_outubro']);
    expect(await documentNames(app, other)).toEqual(['Guia 11.444.777-0001-61']);
    await deletePerson(app, other);
  });

  test('a picture waits for a confirmation', async ({ page, app }) => {
    const zoe = await createClientWithTaxId(app, 'Zoé da Foto', '11444777000161');
    const uploads = watchUploads(page);
    await openBulkUpload(page, zoe);
    await page
      .getByLabel('Arquivos *')
      .setInputFiles({ name: 'IMG_2041.png', mimeType: 'image/png', buffer: PICTURE });
    await expect(line(page, 'IMG_2041.png')).toContainText('o conteúdo não pode ser lido');
    await page.getByRole('button', { name: 'Enviar 1 documento' }).click();
    const dialog = page.getByRole('alertdialog', { name: '1 arquivo sem identificação' });
    await expect(dialog).toContainText('É de Zoé da Foto?');
    await expect(dialog.getByRole('listitem')).toContainText(['IMG_2041.png']);
    expect(uploads).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await page.getByRole('button', { name: 'Enviar 1 documento' }).press('Enter');
    await dialog.getByRole('button', { name: 'Confirmar e enviar' }).press('Enter');
    await expect(report(page)).toContainText('Zoé da Foto: 1 documento');
    expect(await documentNames(app, zoe)).toEqual(['IMG_2041']);
    await deletePerson(app, zoe);
  });

  test('a mixed batch sends each file where a person decided', async ({ page, app }) => {
    const xavier = await createClientWithTaxId(app, 'Xavier Lote', '11222333000181');
    const other = await createClientWithTaxId(app, 'Yara de Outra', '11444777000161');
    const uploads = watchUploads(page);
    await openBulkUpload(page, null);
    await page.getByRole('button', { name: 'Enviar documentos' }).click();
    for (const message of ['Cliente é obrigatório.', 'Pasta é obrigatória.', 'Arquivo é obrigatório.']) {
      await expect(page.getByText(message)).toBeVisible();
    }
    await chooseOption(page, 'Cliente', xavier.name);
    await chooseOption(page, 'Pasta', 'Faturas');
    const own = pdfFile('Do Xavier.pdf', await pdfWithText(`CNPJ 11.222.333/0001-81, ${UNKNOWN_TAX_ID}`));
    const silent = pdfFile('Guia.pdf', await pdfWithText('Guia'));
    const picture = { name: 'foto.png', mimeType: 'image/png', buffer: PICTURE };
    const inText = pdfFile('Da Yara.pdf', await pdfWithText('CNPJ: 11.444.777/0001-61'));
    const both = pdfFile('Dos dois.pdf', await pdfWithText('11.222.333/0001-81 e 11.444.777/0001-61'));
    const stranger = pdfFile('De fora.pdf', await pdfWithText(UNKNOWN_TAX_ID));
    const sheet = { name: 'extrato.csv', mimeType: 'text/csv', buffer: Buffer.from('11444777000161;1,00\n') };
    const empty = { name: 'vazio.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(0) };
    const disguised = pdfFile('disfarce 11222333000181.pdf', Buffer.from('<!doctype html><p>nada'));
    await page
      .getByLabel('Arquivos *')
      .setInputFiles([own, silent, picture, inText, both, stranger, sheet, empty, disguised]);
    await page.getByLabel('Nome do documento de Guia.pdf').fill('Guia de janeiro');
    await expect(line(page, own.name)).toContainText('reconhecido como de Xavier Lote');
    await expect(line(page, disguised.name)).toContainText('reconhecido como de Xavier Lote');
    await expect(line(page, empty.name)).toContainText('O arquivo está vazio.');
    await expect(page.getByRole('group', { name: /^De quem é/ })).toHaveCount(4);
    await decide(page, inText.name, 'Enviar para Yara de Outra');
    await decide(page, both.name, 'Enviar para Xavier Lote');
    await decide(page, stranger.name, 'Enviar para Xavier Lote');
    await decide(page, sheet.name, 'Deixar de fora');
    await page.getByRole('button', { name: 'Enviar 7 documentos' }).click();
    const dialog = page.getByRole('alertdialog', { name: '2 arquivos sem identificação' });
    await expect(dialog.getByRole('listitem')).toContainText(['Guia.pdf', 'foto.png']);
    expect(uploads).toEqual([]);
    await dialog.getByRole('button', { name: 'Confirmar e enviar' }).click();

    // A failed file does not stop the others.
    await expect(report(page)).toContainText('6 documentos enviados');
    await expect(report(page)).toContainText('Xavier Lote: 5 documentos');
    await expect(report(page)).toContainText('Yara de Outra: 1 documento');
    await expect(report(page)).toContainText('Deixado de fora: extrato.csv');
    await expect(report(page)).toContainText('Com erro: vazio.pdf, disfarce 11222333000181.pdf');
    await expect(line(page, inText.name)).toContainText('Enviado para Yara de Outra');
    expect(await documentNames(app, xavier)).toEqual([
      'De fora',
      'Do Xavier',
      'Dos dois',
      'foto',
      'Guia de janeiro',
    ]);
    expect(await documentNames(app, other)).toEqual(['Da Yara']);

    // A file that is added later asks again, alone.
    const late = pdfFile('Atrasado.pdf', await pdfWithText('Atrasado'));
    await page.getByLabel('Arquivos *').setInputFiles(late);
    await line(page, disguised.name).getByRole('button', { name: 'Remover' }).click();
    await line(page, empty.name).getByRole('button', { name: 'Remover' }).click();
    await page.getByRole('button', { name: 'Enviar 1 documento' }).click();
    const again = page.getByRole('alertdialog', { name: '1 arquivo sem identificação' });
    await expect(again.getByRole('listitem')).toContainText(['Atrasado.pdf']);
    await again.getByRole('button', { name: 'Confirmar e enviar' }).click();
    await expect(report(page)).toContainText('Xavier Lote: 6 documentos');
    await page.getByRole('link', { name: 'Ver documentos' }).click();
    await expect(page).toHaveURL('/admin/documents');
    await deletePerson(app, xavier);
    await deletePerson(app, other);
  });

  test('sends nothing if the clients cannot be looked up', async ({ page, app }) => {
    const zaida = await app.newClient('Zaida Offline');
    const uploads = watchUploads(page);
    await openBulkUpload(page, zaida);
    const search = /\/rest\/v1\/clients\?.*tax_id=in/;
    await page.route(search, (route) => route.abort('connectionreset'));
    const bytes = await pdfWithText('Recibo');
    await page
      .getByLabel('Arquivos *')
      .setInputFiles([pdfFile('a.pdf', await pdfWithText(UNKNOWN_TAX_ID)), pdfFile('b.pdf', bytes)]);
    await expect(line(page, 'a.pdf')).toContainText('Não foi possível conferir de quem é.');
    await page.getByRole('button', { name: 'Enviar 2 documentos' }).click();
    await expect(page.getByText('Nada foi enviado.')).toBeVisible();
    expect(uploads).toEqual([]);
    await page.unroute(search);
    await page.getByRole('button', { name: 'Enviar 2 documentos' }).click();
    await expect(question(page, 'a.pdf').getByRole('radio').first()).toBeFocused();
    expect(uploads).toEqual([]);
  });

  test('names the clients while the answer about their mails is missing', async ({ page, app }) => {
    const zelia = await app.newClient('Zélia Sem Resposta');
    await openBulkUpload(page, null);
    const audience = /\/rpc\/mail_audience/;
    const heldAudience = await holdRequest(page, audience, 'POST');
    await chooseOption(page, 'Cliente', zelia.name);
    await chooseOption(page, 'Pasta', 'Faturas');
    await heldAudience.started;
    await page.getByLabel('Arquivos *').setInputFiles(pdfFile('Guia.pdf', await pdfWithText('Guia')));
    await expect(recipients(page)).toContainText('Zélia Sem Resposta (1 documento): conferindo');
    await page.getByRole('button', { name: 'Enviar 1 documento' }).click();
    const dialog = page.getByRole('alertdialog', { name: '1 arquivo sem identificação' });
    await expect(dialog).toContainText('Zélia Sem Resposta (1 documento): conferindo');
    await page.unroute(audience);
    await page.route(audience, (route) => route.abort('connectionreset'));
    heldAudience.release();
    await dialog.getByRole('button', { name: 'Voltar e conferir' }).click();
    await page.getByLabel('Data de Vencimento').fill('2099-01-10');
    const unknown = 'Zélia Sem Resposta (1 documento): não foi possível saber se recebe e-mail.';
    await expect(recipients(page)).toContainText(unknown);
    await page.getByRole('button', { name: 'Enviar 1 documento' }).click();
    await expect(dialog).toContainText(unknown);
  });

  test('states nothing about the recipients until every file is checked', async ({ page, app }) => {
    const zora = await createClientWithTaxId(app, 'Zora Lenta', '11444777000161');
    await openBulkUpload(page, zora);
    const heldSearch = await holdClientSearch(page);
    const own = pdfFile('Da Zora.pdf', await pdfWithText('CNPJ 11.444.777/0001-61'));
    await page.getByLabel('Arquivos *').setInputFiles([own, pdfFile('Guia.pdf', await pdfWithText('Guia'))]);
    await heldSearch.started;
    await expect(recipients(page)).toHaveText('Conferindo quem recebe os documentos…');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    heldSearch.release();
    await expect(recipients(page)).toContainText('Zora Lenta (2 documentos)');
    await deletePerson(app, zora);
  });

  test('does not start if the page is left during the check', async ({ page, app }) => {
    const zita = await createClientWithTaxId(app, 'Zita Desiste', '11444777000161');
    await openBulkUpload(page, zita);
    const heldSearch = await holdClientSearch(page);
    const own = pdfFile('Da Zita.pdf', await pdfWithText('CNPJ 11.444.777/0001-61'));
    await page.getByLabel('Arquivos *').setInputFiles(own);
    await heldSearch.started;
    await page.getByRole('button', { name: 'Enviar 1 documento' }).click();
    await expect(page.getByLabel('Nome do documento de Da Zita.pdf')).toBeDisabled();
    await page.getByRole('link', { name: 'Cancelar' }).click();
    await page.getByRole('button', { name: 'Sair sem salvar' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Gerenciar Documentos' })).toBeVisible();
    expect(await heldSearch.end()).toEqual([]);
    await deletePerson(app, zita);
  });

  test('files with the same name become separate documents', async ({ page, app }) => {
    const yuri = await app.newClient('Yuri Repete');
    // Both are sent at the same moment.
    await page.clock.setFixedTime(new Date());
    await openBulkUpload(page, yuri);
    const files = await Promise.all(
      ['Janeiro', 'Fevereiro'].map(async (text) => pdfFile('guia.pdf', await pdfWithText(text))),
    );
    await page.getByLabel('Arquivos *').setInputFiles(files);
    await page.getByRole('button', { name: 'Enviar 2 documentos' }).click();
    await page.getByRole('button', { name: 'Confirmar e enviar' }).click();
    await expect(report(page)).toContainText('Yuri Repete: 2 documentos');
  });
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`bulk upload › is used by keyboard and has no accessibility violations (${colorScheme})`, async ({
    browser,
    app,
  }) => {
    const zilma = await app.newClient(`Zilma Teclado ${colorScheme}`);
    const context = await browser.newContext({ baseURL: app.portaria.url, colorScheme });
    const page = await context.newPage();
    await signInAsAdmin(page);
    await openBulkUpload(page, zilma);
    const foreign = pdfFile('De fora.pdf', await pdfWithText(UNKNOWN_TAX_ID));
    const silent = pdfFile('Guia.pdf', await pdfWithText('Guia'));
    await page.getByLabel('Arquivos *').setInputFiles([foreign, silent]);
    await expect(question(page, 'De fora.pdf')).toBeVisible();
    const send = page.getByRole('button', { name: 'Enviar 2 documentos' });
    await send.press('Enter');
    await expect(question(page, 'De fora.pdf').getByRole('radio').first()).toBeFocused();
    await expectNoViolations(page);
    await page.keyboard.press('Space');
    await expect(
      question(page, 'De fora.pdf').getByRole('radio', { name: `Enviar para ${zilma.name}` }),
    ).toBeChecked();
    await send.press('Enter');
    const dialog = page.getByRole('alertdialog', { name: '1 arquivo sem identificação' });
    // The colors of an opening dialog are transparent.
    await expect(dialog).toHaveCSS('opacity', '1');
    await expectNoViolations(page);
    await dialog.getByRole('button', { name: 'Confirmar e enviar' }).press('Enter');
    await expect(report(page)).toContainText(`${zilma.name}: 2 documentos`);
    await expect(report(page)).toBeFocused();
    await expectNoViolations(page);
    await context.close();
  });
}

test('upload form › asks if the file name has the tax id of another client', async ({ page, app }) => {
  const right = await createClientWithTaxId(app, 'Dona do Nome', '11444777000161');
  const wrong = await app.newClient('Errado no Nome');
  const uploads = watchUploads(page);
  await signInAsAdmin(page);
  await page.goto('/admin/documents/upload');
  await chooseOption(page, 'Cliente', wrong.name);
  await chooseOption(page, 'Pasta', 'Faturas');
  await page
    .getByLabel('Arquivo')
    .setInputFiles({ name: 'foto 11444777000161.png', mimeType: 'image/png', buffer: PICTURE });
  await page.getByRole('button', { name: 'Salvar Documento' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Documento de outro cliente?' });
  await expect(dialog).toContainText('O nome do arquivo traz o CNPJ 11.444.777/0001-61, de Dona do Nome');
  expect(uploads).toEqual([]);
  await deletePerson(app, right);
});

async function openBulkUpload(page: Page, client: Person | null): Promise<void> {
  await signInAsAdmin(page);
  await page.goto('/admin/documents/bulk');
  if (client === null) return;
  await chooseOption(page, 'Cliente', client.name);
  await chooseOption(page, 'Pasta', 'Faturas');
}

const line = (page: Page, fileName: string): Locator =>
  page.getByRole('list', { name: 'Arquivos' }).getByRole('listitem').filter({ hasText: fileName });

const question = (page: Page, fileName: string): Locator =>
  page.getByRole('group', { name: `De quem é ${fileName}?` });

const decide = (page: Page, fileName: string, option: string): Promise<void> =>
  question(page, fileName).getByRole('radio', { name: option }).check();

const recipients = (page: Page): Locator => page.getByRole('status', { name: 'Avisos por e-mail' });

const report = (page: Page): Locator => page.getByRole('region', { name: 'Resultado do envio' });

/** The addresses of the files that the page uploads from now on. */
function watchUploads(page: Page): string[] {
  const uploads: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/storage/v1/object/'))
      uploads.push(request.url());
  });
  return uploads;
}

async function documentNames(app: TestApp, person: Person): Promise<string[]> {
  const rows = app.admin.from('documents').select('name').eq('client_id', person.id);
  const names = (await expectOk(rows)).data.map(({ name }) => name);
  return names.toSorted((one, other) => one.localeCompare(other, 'pt-BR'));
}

async function setNotification({ portaria }: TestApp, event: string, enabled: boolean): Promise<void> {
  const settings = serviceClient(portaria).from('email_notification_settings');
  await expectOk(
    settings.upsert([{ document_type_event: event, enabled }], { onConflict: 'document_type_event' }),
  );
}

async function expectNoViolations(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id: rule, nodes }) => [rule, nodes.map(({ html }) => html)])).toEqual([]);
}
