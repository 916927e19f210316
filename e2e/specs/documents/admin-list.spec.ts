// The documents of the office: list, upload, and deletion.

import { expect, type Page } from '@playwright/test';

import { holdRequest, openSession, signInAsAdmin, test } from '../../fixtures/test.ts';
import { BUCKET, unwrap, expectOk, type Person, serviceClient, present } from '../../helpers/api.ts';
import { createClientWithTaxId, deletePerson } from '../../helpers/clients.ts';
import { seedDocument } from '../../helpers/documents.ts';
import { openRowMenu } from '../../helpers/lists.ts';
import { pdfWithText } from '../../helpers/pdf.ts';
import { chooseOption, holdClientSearch, pdfFile, UNKNOWN_TAX_ID } from '../../helpers/upload.ts';

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const search = (page: Page) => page.getByRole('searchbox', { name: 'Buscar por nome, cliente ou pasta...' });

test.describe('document list', () => {
  test('is searched by name, client or folder, and links to each document', async ({ page, app }) => {
    const tiago = await app.newClient('Tiago Lista');
    const uma = await app.newClient('Uma Lista');
    await seedDocument(app, tiago, { name: 'Guia do Tiago', expires: '2026-12-10' });
    await seedDocument(app, uma, { name: 'Ata da Uma', type: 'docx', folder: 'contratos', file: null });
    await openSession(page);
    await page.goto('/admin/documents');
    const guia = page.getByRole('row', { name: 'Guia do Tiago' });
    const ata = page.getByRole('row', { name: 'Ata da Uma' });
    await search(page).fill('guia do');
    await expect(guia).toContainText('Tiago Lista');
    await expect(guia).toContainText('10/12/2026');
    await expect(ata).toBeHidden();
    await search(page).fill('uma lista');
    await expect(ata).toContainText('Contratos');
    await expect(ata).toContainText('N/A');
    await expect(guia).toBeHidden();
    await search(page).fill('contratos');
    await expect(ata).toBeVisible();
    await search(page).fill('nada assim');
    await expect(page.getByText('Nenhum documento encontrado')).toBeVisible();
    await search(page).fill('guia do');
    await page.getByRole('link', { name: 'Guia do Tiago' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Guia do Tiago' })).toBeVisible();
  });

  test('finds documents of all clients that match the search', async ({ page, app }) => {
    const api = serviceClient(app.portaria);
    const last = await app.newClient('Xará Último');
    // Invitations have no password to hash, which makes them fast.
    const invite = (index: number) =>
      expectOk(
        api.auth.admin.inviteUserByEmail(`xara${index}@x.com.br`, { data: { full_name: `Xará ${index}` } }),
      );
    for (let start = 0; start < 120; start += 40) {
      await Promise.all(Array.from({ length: 40 }, (_, offset) => invite(start + offset)));
    }
    await seedDocument(app, last, { name: 'Declaração do último' });
    await openSession(page);
    await page.goto('/admin/documents');
    await search(page).fill('xara');
    await expect(page.getByRole('row', { name: 'Declaração do último' })).toContainText('Xará Último');
    await search(page).fill('declaracao do ult');
    await expect(page.getByRole('row', { name: 'Declaração do último' })).toBeVisible();
  });

  test('deletes a document with its file after a confirmation', async ({ page, app }) => {
    const vera = await app.newClient('Vera Apaga');
    const id = await seedDocument(app, vera, { name: 'Apagável' });
    const { file_url: path } = await unwrap(
      app.admin.from('documents').select('file_url').eq('id', id).single(),
    );
    await openSession(page);
    await page.goto('/admin/documents');
    await search(page).fill('Apagável');
    await openRowMenu(page, 'Apagável');
    await page.getByRole('menuitem', { name: 'Excluir' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Confirmar Exclusão' });
    await dialog.getByRole('button', { name: 'Excluir' }).click();
    await expect(page.getByText('Documento excluído com sucesso!')).toBeVisible();
    await expect(page.getByText('Nenhum documento encontrado')).toBeVisible();
    const file = await app.admin.storage.from(BUCKET).download(present(path));
    expect(file.data).toBeNull();
    await page.getByRole('button', { name: 'Desfazer' }).click();
    await expect(page.getByText('1 documento restaurado')).toBeVisible();
    await expect(page.getByRole('row', { name: 'Apagável' })).toBeVisible();
    expect((await app.admin.storage.from(BUCKET).download(present(path))).error).toBeNull();
  });
});

test.describe('document upload', () => {
  test('requires client, folder, file and name, and limits the size to 10 MB', async ({ page }) => {
    await openSession(page);
    await page.goto('/admin/documents/upload');
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    for (const message of [
      'Cliente é obrigatório.',
      'Pasta é obrigatória.',
      'Arquivo é obrigatório.',
      'Nome do documento é obrigatório.',
      'Por favor, preencha todos os campos obrigatórios.',
    ]) {
      await expect(page.getByText(message)).toBeVisible();
    }
    await expect(page.getByText('PNG, JPG, PDF, DOCX, etc. até 10MB')).toBeVisible();
    const large = {
      name: 'grande.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.alloc(10 * 1024 ** 2 + 1),
    };
    await page.getByLabel('Arquivo').setInputFiles(large);
    await expect(page.getByText('O arquivo excede o limite de 10MB.').first()).toBeVisible();
    await page
      .getByLabel('Arquivo')
      .setInputFiles(pdfFile('Guia de Novembro.PDF', await pdfWithText('Guia')));
    await expect(page.getByLabel('Nome do Documento')).toHaveValue('Guia de Novembro');
    await expect(page.getByLabel('Tipo do Documento')).toHaveValue('pdf');
  });

  test('is canceled and leaves nothing behind', async ({ page, app }) => {
    const wanda = await app.newClient('Wanda Cancela');
    await signInAsAdmin(page);
    await fillUpload(page, wanda, pdfFile('lento.pdf', await pdfWithText('Lento')));
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/storage/v1/object/client-documents/**', async (route) => {
      await held;
      await route.abort().catch(() => undefined);
    });
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    await page.getByRole('button', { name: 'Cancelar envio' }).click({ timeout: 30_000 });
    await expect(page.getByText('Envio cancelado')).toBeVisible();
    release();
    const remaining = await app.admin.from('documents').select('id').eq('client_id', wanda.id);
    expect(remaining.data).toEqual([]);
  });

  test('does not start if the page is left during the check of the text', async ({ page, app }) => {
    const otto = await app.newClient('Otto Desiste');
    await signInAsAdmin(page);
    await fillUpload(page, otto, pdfFile('guia.pdf', await pdfWithText(UNKNOWN_TAX_ID)));
    const heldSearch = await holdClientSearch(page);
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    await heldSearch.started;
    await page.getByRole('link', { name: 'Cancelar' }).click();
    await page.getByRole('button', { name: 'Sair sem salvar' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Gerenciar Documentos' })).toBeVisible();
    expect(await heldSearch.end()).toEqual([]);
  });

  test('a failed insert leaves no file behind, and a retry succeeds', async ({ page, app }) => {
    const xisto = await app.newClient('Xisto Falha');
    await signInAsAdmin(page);
    await fillUpload(page, xisto, pdfFile('perdido.pdf', await pdfWithText('Perdido')));
    await page.route('**/rest/v1/documents*', (route) =>
      route.request().method() === 'POST' ? route.abort('connectionreset') : route.continue(),
    );
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    await expect(page.getByText('Erro ao enviar documento')).toBeVisible();
    const folder = app.admin.storage.from(BUCKET).list(`public/${xisto.id}/faturas`);
    expect((await expectOk(folder)).data).toEqual([]);
    // The form keeps its input for the retry.
    await page.unroute('**/rest/v1/documents*');
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    await expect(page.getByText('Documento enviado com sucesso!')).toBeVisible();
  });

  test('a lost response does not duplicate or lose the document', async ({ page, app }) => {
    const ximena = await app.newClient('Ximena Queda');
    const stored = async () => {
      const rows = app.admin.from('documents').select('id,file_url').eq('client_id', ximena.id).single();
      const { id, file_url } = await unwrap(rows);
      expect((await app.admin.storage.from(BUCKET).download(present(file_url))).error).toBeNull();
      return id;
    };
    await signInAsAdmin(page);
    await fillUpload(page, ximena, pdfFile('guia.pdf', await pdfWithText('Guia')));
    await page.route('**/rest/v1/documents*', async (route) => {
      if (!['POST', 'PATCH'].includes(route.request().method())) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    await expect(page.getByText('Documento enviado com sucesso!')).toBeVisible();
    await page.goto(`/admin/documents/view/${await stored()}`);
    await page
      .getByLabel('Novo arquivo')
      .setInputFiles(pdfFile('outra.pdf', await pdfWithText('Outra guia')));
    await page.getByRole('button', { name: 'Substituir' }).click();
    await expect(page.getByText('Arquivo substituído com sucesso!')).toBeVisible();
    await stored();
  });

  test('a retry after a lost connection does not duplicate the document', async ({ page, app }) => {
    const ximenes = await app.newClient('Ximenes Queda');
    await signInAsAdmin(page);
    await fillUpload(page, ximenes, pdfFile('guia.pdf', await pdfWithText('Guia')));
    await page.route('**/rest/v1/documents*', async (route) => {
      if (route.request().method() === 'POST') await route.fetch();
      await route.abort('connectionreset');
    });
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    await expect(page.getByText('Erro ao enviar documento')).toBeVisible();
    await page.unroute('**/rest/v1/documents*');
    await page.getByLabel('Nome do Documento').fill('Guia de novembro');
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    await expect(page.getByText('Documento enviado com sucesso!')).toBeVisible();
    const rows = app.admin.from('documents').select('name').eq('client_id', ximenes.id);
    expect((await expectOk(rows)).data).toEqual([{ name: 'Guia de novembro' }]);
  });

  for (const [taxIdType, text, taxId] of [
    ['CNPJ', 'Contratada: CNPJ 11.222.333/0001-81', '11222333000181'],
    ['CNPJ', 'Filial inscrita sob 12.ABC.345/01DE-35 em Recife', '12ABC34501DE35'],
    ['CPF', 'Declarante, CPF 529.982.247-25', '52998224725'],
  ] as const) {
    test(`asks if the text has another client's ${taxIdType} (${taxId})`, async ({ page, app }) => {
      const right = await createClientWithTaxId(app, `Dona do ${taxId}`, taxId);
      const wrong = await app.newClient(`Errado ${taxId}`);
      await signInAsAdmin(page);
      await fillUpload(page, wrong, pdfFile('guia.pdf', await pdfWithText(text)));
      await page.getByRole('button', { name: 'Salvar Documento' }).click();
      const dialog = page.getByRole('alertdialog', { name: 'Documento de outro cliente?' });
      await expect(dialog).toContainText(`de ${right.name}`);
      await expect(dialog).toContainText(`O documento vai para ${wrong.name}`);
      await dialog.getByRole('button', { name: 'Voltar e corrigir' }).click();
      expect((await app.admin.from('documents').select('id').eq('client_id', wrong.id)).data).toEqual([]);
      await page.getByRole('button', { name: 'Salvar Documento' }).click();
      // A double click creates one document.
      await dialog.getByRole('button', { name: 'Salvar assim mesmo' }).dblclick();
      await expect(page.getByText('Documento enviado com sucesso!')).toBeVisible();
      expect((await app.admin.from('documents').select('id').eq('client_id', wrong.id)).data).toHaveLength(1);
      // An upload for the matching client is not questioned.
      await fillUpload(page, right, pdfFile('guia.pdf', await pdfWithText(text)));
      await page.getByRole('button', { name: 'Salvar Documento' }).click();
      await expect(page).toHaveURL('/admin/documents');
      await expectOk(app.admin.from('documents').delete().in('client_id', [right.id, wrong.id]));
      await deletePerson(app, right);
    });
  }
});

async function fillUpload(page: Page, client: Person, file: ReturnType<typeof pdfFile>): Promise<void> {
  await page.goto('/admin/documents/upload');
  await chooseOption(page, 'Cliente', client.name);
  await chooseOption(page, 'Pasta', 'Faturas');
  await page.getByLabel('Arquivo').setInputFiles(file);
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
  // Text that is no option is no client, and Enter does not send the form with the earlier one.
  const client = page.getByRole('combobox', { name: 'Cliente *' });
  await client.fill('Errado no Nome Ltda');
  await expect(page.getByText('Nenhum cliente encontrado')).toBeVisible();
  await client.press('Enter');
  await expect(client).toHaveValue('Errado no Nome Ltda');
  await page.getByText('Salvar Documento').click();
  await expect(page.getByText('Cliente é obrigatório.')).toBeVisible();
  // A number finds its client, who is not offered for the next text while that is searched for.
  for (const number of ['11.444.777/0001-61', '11444777000161', '11444777']) {
    await client.fill(number);
    await expect(page.getByRole('option')).toHaveText([/Dona do Nome/]);
  }
  const held = await holdRequest(page, /\/rest\/v1\/clients\?.*Errado/, 'GET');
  await client.fill('Errado no');
  await held.started;
  await expect(page.getByText('Buscando…')).toBeVisible();
  await client.press('Enter');
  await expect(client).toHaveValue('Errado no');
  held.release();
  await expect(page.getByRole('option')).toHaveText([/Errado no Nome/]);
  await client.press('Enter');
  await expect(client).toHaveValue('Errado no Nome');
  await page.getByRole('button', { name: 'Salvar Documento' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Documento de outro cliente?' });
  await expect(dialog).toContainText('O nome do arquivo traz o CNPJ 11.444.777/0001-61, de Dona do Nome');
  expect(uploads).toEqual([]);
  await deletePerson(app, right);
});

/** The addresses of the files that the page uploads from now on. */
function watchUploads(page: Page): string[] {
  const uploads: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/storage/v1/object/'))
      uploads.push(request.url());
  });
  return uploads;
}
