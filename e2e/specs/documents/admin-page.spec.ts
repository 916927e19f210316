// The page of a document in the back office.

import { expect } from '@playwright/test';

import { holdRequest, openSession, signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { BUCKET, expectOk, signIn, present } from '../../helpers/api.ts';
import { seedDocument } from '../../helpers/documents.ts';
import { pdfWithText } from '../../helpers/pdf.ts';
import { chooseOption, holdClientSearch, pdfFile, UNKNOWN_TAX_ID } from '../../helpers/upload.ts';

test.describe('document page', () => {
  test('does not lose a folder that is typed before the folders have loaded', async ({ page, app }) => {
    const client = await app.newClient('Dora Pasta');
    const id = await seedDocument(app, client, { name: 'Contrato' });
    await signInAsAdmin(page);
    const { started, release } = await holdRequest(page, /\/rest\/v1\/folders\?/, 'GET');
    await page.goto(`/admin/documents/view/${id}`);
    await started;
    await expect(page.getByLabel('Nome do Documento')).toHaveValue('Contrato');
    await expect(page.getByLabel('Pasta')).toBeDisabled();
    release();
    await chooseOption(page, 'Pasta', 'Contratos');
    await expect(page.getByLabel('Pasta')).toHaveValue('Contratos');
  });

  test('does not lose a folder that is typed while the rest of the page loads', async ({ page, app }) => {
    const client = await app.newClient('Dora Digitando');
    const id = await seedDocument(app, client, { name: 'Contrato' });
    await signInAsAdmin(page);
    const { started, release } = await holdRequest(page, /\/rest\/v1\/staff\?/, 'GET');
    await page.goto(`/admin/documents/view/${id}`);
    await started;
    const folder = page.getByLabel('Pasta');
    await folder.fill('Contra');
    await expect(page.getByRole('option', { name: 'Contratos' })).toBeVisible();
    release();
    await expect(page.getByLabel('Responsável').getByRole('option')).not.toHaveCount(1);
    await expect(folder).toHaveValue('Contra');
    await page.getByRole('option', { name: 'Contratos' }).click();
    await expect(folder).toHaveValue('Contratos');
  });

  test('shows the document, changes it, replaces its file and keeps the receipts', async ({ page, app }) => {
    const zeca = await app.newClient('Zeca Documento');
    const id = await seedDocument(app, zeca, {
      name: 'Contrato antigo',
      file: { bytes: await pdfWithText('Versão antiga'), mimeType: 'application/pdf' },
    });
    const clientApi = await signIn(app.portaria, zeca);
    await expectOk(clientApi.from('document_receipts').insert({ document_id: id, action: 'downloaded' }));
    const before = await expectOk(app.admin.from('documents').select('file_url').eq('id', id).single());
    await openSession(page);
    await page.goto(`/admin/documents/view/${id}`);
    await expect(page.getByText('Versão antiga')).toBeVisible();
    const openings = page.getByRole('list', { name: 'Aberturas pelo cliente' });
    await expect(openings).toContainText('Baixado em');
    await expect(page.getByRole('link', { name: 'Zeca Documento' })).toBeVisible();

    await page.getByLabel('Nome do Documento').fill('');
    await page.getByRole('button', { name: 'Salvar Alterações' }).click();
    await expect(page.getByText('Nome do documento é obrigatório.')).toBeVisible();
    await page.getByLabel('Nome do Documento').fill('Contrato novo');
    await chooseOption(page, 'Pasta', 'Contratos');
    await page.getByLabel('Data de Vencimento').fill('2027-01-31');
    await page.getByLabel('Status').selectOption('Pendente');
    await page.getByRole('button', { name: 'Salvar Alterações' }).click();
    await expect(page.getByText('Documento atualizado com sucesso!')).toBeVisible();
    await expect(page.getByRole('heading', { level: 1, name: 'Contrato novo' })).toBeVisible();
    const changed = await expectOk(
      app.admin.from('documents').select('name,status,folder_id_supabase,expires_at').eq('id', id).single(),
    );
    expect(changed.data).toEqual({
      name: 'Contrato novo',
      status: 'pending',
      folder_id_supabase: 'contratos',
      expires_at: '2027-02-01T02:59:59+00:00',
    });

    await page
      .getByLabel('Novo arquivo')
      .setInputFiles(pdfFile('novo.pdf', await pdfWithText('Versão nova')));
    await page.getByRole('button', { name: 'Substituir' }).click();
    await expect(page.getByText('Arquivo substituído com sucesso!')).toBeVisible();
    await expect(page.getByText('Versão nova')).toBeVisible();
    await expect(openings).toContainText('Baixado em');
    const old = await app.admin.storage.from(BUCKET).download(present(before.data?.file_url));
    expect(old.data).toBeNull();

    await page.getByLabel('Nome do Documento').fill('Contrato sem salvar');
    await page.getByRole('link', { name: 'Zeca Documento' }).click();
    await expect(page.getByRole('alertdialog', { name: 'Sair sem salvar?' })).toBeVisible();
  });

  test('shows changes by a colleague and does not overwrite them', async ({ page, app }) => {
    const id = await seedDocument(app, await app.newClient('Zoraide Guarda'), { name: 'Procuração' });
    const change = (columns: object) => expectOk(app.admin.from('documents').update(columns).eq('id', id));
    await openSession(page);
    await page.goto(`/admin/documents/view/${id}`);
    const [name, reason] = [page.getByLabel('Nome do Documento'), page.getByLabel('Guarda legal (motivo)')];
    await name.fill('Procuração nova');
    await change({ legal_hold_reason: 'Processo 12', status: 'inactive' });
    await page.getByRole('button', { name: 'Salvar Alterações' }).click();
    await expect(page.getByText('Documento atualizado com sucesso!')).toBeVisible();
    await expect(reason).toHaveValue('Processo 12');
    const saved = app.admin.from('documents').select('name,legal_hold_reason,status').eq('id', id).single();
    expect((await expectOk(saved)).data).toEqual({
      name: 'Procuração nova',
      legal_hold_reason: 'Processo 12',
      status: 'inactive',
    });

    // After loading again it keeps unsaved input.
    await page.getByLabel('Data de Vencimento').fill('2027-01-31');
    await change({ name: 'Procuração da colega', legal_hold_reason: null });
    await page
      .getByLabel('Novo arquivo')
      .setInputFiles(pdfFile('novo.pdf', await pdfWithText('Versão nova')));
    await page.getByRole('button', { name: 'Substituir' }).click();
    await expect(name).toHaveValue('Procuração da colega');
    await expect(page.getByLabel('Data de Vencimento')).toHaveValue('2027-01-31');
  });

  test('is disabled during a save', async ({ page, app }) => {
    const id = await seedDocument(app, await app.newClient('Zenaide Espera'), { name: 'Aviso' });
    await openSession(page);
    await page.goto(`/admin/documents/view/${id}`);
    const name = page.getByLabel('Nome do Documento');
    await name.fill('Aviso novo');
    const change = await holdRequest(page, /\/rest\/v1\/documents\?/, 'PATCH');
    await page.getByRole('button', { name: 'Salvar Alterações' }).click();
    await change.started;
    await expect(name).toBeDisabled();
    change.release();
    await expect(name).toBeEnabled();
    await expect(name).toHaveValue('Aviso novo');
  });

  test('keeps the file if the page is left during the check of the new one', async ({ page, app }) => {
    const id = await seedDocument(app, await app.newClient('Zilda Mantém'), { name: 'Fica como está' });
    await openSession(page);
    await page.goto(`/admin/documents/view/${id}`);
    await page
      .getByLabel('Novo arquivo')
      .setInputFiles(pdfFile('novo.pdf', await pdfWithText(UNKNOWN_TAX_ID)));
    const heldSearch = await holdClientSearch(page);
    await page.getByRole('button', { name: 'Substituir' }).click();
    await heldSearch.started;
    await page.getByRole('link', { name: 'Voltar para Documentos' }).click();
    await page.getByRole('button', { name: 'Sair sem salvar' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Gerenciar Documentos' })).toBeVisible();
    expect(await heldSearch.end()).toEqual([]);
  });

  test('shows that the document does not exist', async ({ page }) => {
    await openSession(page);
    await page.goto('/admin/documents/view/nenhum');
    await expect(page.getByRole('heading', { name: 'Documento não encontrado' })).toBeVisible();
    await page.getByRole('link', { name: 'Voltar para Documentos' }).click();
    await expect(page).toHaveURL('/admin/documents');
  });
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`document screens › have no accessibility violations in the ${colorScheme} theme`, async ({
    browser,
    app,
  }) => {
    const client = await app.newClient('Axel Documento');
    const id = await seedDocument(app, client, { name: 'Documento do Axel' });
    const context = await browser.newContext({ baseURL: app.portaria.url, colorScheme });
    const page = await context.newPage();
    await signInAsAdmin(page);
    for (const path of [`/admin/documents/view/${id}`, '/admin/documents/bulk', '/admin/documents/upload']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.waitForLoadState('networkidle');
      await expectAccessible(page);
    }
    await context.close();
  });
}
