// Data subject requests, legal holds and retention.

import { readFile } from 'node:fs/promises';

import { expect, type Page } from '@playwright/test';

import { openSession, signInAsAdmin, test } from '../fixtures/test.ts';
import { expectAccessible } from '../helpers/accessibility.ts';
import { expectOk, serviceClient, signIn } from '../helpers/api.ts';
import { seedDocument } from '../helpers/documents.ts';
import { openRowMenu } from '../helpers/lists.ts';

const folderRow = (page: Page, name: string) =>
  page
    .getByRole('list', { name: 'Pastas' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: `Editar ${name}`, exact: true }) });

test.afterEach(async ({ app }) => {
  const rules = { retention_months: null, auto_delete: false, legal_hold_reason: null };
  await expectOk(serviceClient(app.portaria).from('folders').update(rules).neq('id_supabase', ''));
});

test("data export › the office downloads a client's data, which is logged", async ({ page, app }) => {
  const client = await app.newClient('Cópia da Carla');
  await seedDocument(app, client, { name: 'Recibo da Carla' });
  await openSession(page);
  await page.goto(`/admin/clients/view/${client.id}`);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Baixar dados do cliente' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^dados-\d{4}-\d{2}-\d{2}\.zip$/);
  const archive = await readFile(await file.path(), 'latin1');
  for (const part of [
    'perfil.json',
    'documentos.json',
    'emails.json',
    'registro.json',
    'Recibo da Carla.pdf',
  ]) {
    expect(archive).toContain(part);
  }
  await expect(page.getByText('Os dados do cliente foram baixados')).toBeVisible();
  await page.goto('/admin/activity');
  await expect(page.getByRole('row', { name: 'Dados pessoais baixados' }).first()).toContainText(
    'Cópia da Carla',
  );
});

test("erasure › removes a client's data after two steps and keeps documents on hold", async ({
  page,
  app,
}) => {
  const client = await app.newClient('Apagada Aparecida');
  await seedDocument(app, client, { name: 'Contrato dela', folder: 'contratos' });
  const held = await seedDocument(app, client, { name: 'Nota retida' });
  await expectOk(app.admin.from('documents').update({ legal_hold_reason: 'CTN, art. 173' }).eq('id', held));
  const aparecida = await signIn(app.portaria, client);
  await expectOk(aparecida.from('tickets').insert({ subject: 'Peço', message: 'Apaguem os meus dados.' }));
  const reply = { title: 'Despedida', body: 'Adeus, Apagada Aparecida!' };
  await expectOk(app.admin.from('saved_replies').insert(reply));

  await openSession(page);
  await page.goto(`/admin/clients/view/${client.id}`);
  await page.getByRole('button', { name: 'Apagar dados pessoais' }).click();
  const dialog = page.getByRole('dialog', { name: 'Apagar dados pessoais' });
  await expect(dialog).toContainText('1 documento, com o arquivo');
  await expect(dialog).toContainText('1 ticket, com mensagens');
  await expect(dialog).toContainText('Nota retida (Faturas), sob guarda legal: CTN, art. 173');
  await expect(dialog).toContainText('Resposta pronta Despedida');
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await expect(dialog.getByLabel('E-mail do cliente *')).toBeFocused();
  await expect(dialog.getByText('O e-mail digitado não é o do cliente.')).toBeHidden();
  await page.keyboard.type('outra@pessoa.com.br');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('O e-mail digitado não é o do cliente.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Voltar' }).click();
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await dialog.getByLabel('E-mail do cliente *').fill(client.email);
  await dialog.getByRole('button', { name: 'Apagar definitivamente' }).click();
  await expect(page.getByText('Dados pessoais apagados').first()).toBeVisible();
  await expect(page.getByText('1 documento fica sob guarda legal.')).toBeVisible();
  await expect(page).toHaveURL('/admin/clients');
  await expect(signIn(app.portaria, client)).rejects.toThrow('Invalid login credentials');

  await page.goto(`/admin/documents/view/${held}`);
  await expect(page.getByText('Sob guarda legal: CTN, art. 173')).toBeVisible();
  await expect(page.getByText('Os dados do cliente foram apagados')).toBeVisible();
  await page.goto('/admin/activity');
  const line = page.getByRole('row', { name: 'Dados pessoais apagados' }).first();
  await expect(line).toContainText('documentos: 1, tickets: 1');
  await expect(page.getByText('Apagada Aparecida')).toHaveCount(0);
  await expectOk(app.admin.from('saved_replies').delete().eq('title', 'Despedida'));
});

test('erasure › a failure erases nothing', async ({ page, app }) => {
  const client = await app.newClient('Falha da Fátima');
  await openSession(page);
  await page.goto(`/admin/clients/view/${client.id}`);
  await page.getByRole('button', { name: 'Apagar dados pessoais' }).click();
  const dialog = page.getByRole('dialog', { name: 'Apagar dados pessoais' });
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await dialog.getByLabel('E-mail do cliente *').fill(client.email.toUpperCase());
  await app.portaria.withBrokenTable('erasures', async () => {
    await dialog.getByRole('button', { name: 'Apagar definitivamente' }).click();
    await expect(page.getByText('Erro ao apagar os dados')).toBeVisible();
  });
  await signIn(app.portaria, client);
});

test('legal hold › prevents the deletion of a document', async ({ page, app }) => {
  const client = await app.newClient('Retida Rita');
  const id = await seedDocument(app, client, { name: 'Retido da Rita' });
  await openSession(page);
  await page.goto(`/admin/documents/view/${id}`);
  await page.getByLabel('Guarda legal (motivo)').fill('Processo 123');
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(page.getByText('Documento atualizado com sucesso!')).toBeVisible();
  await expect(page.getByText('Sob guarda legal: Processo 123')).toBeVisible();
  await page.goto('/admin/documents');
  await page.getByRole('searchbox').fill('retido da rita');
  await openRowMenu(page, 'Retido da Rita');
  await page.getByRole('menuitem', { name: 'Excluir' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Excluir' }).click();
  await expect(page.getByText('O documento está sob guarda legal')).toBeVisible();
  await expectOk(app.admin.from('documents').select('id').eq('id', id).single());
});

test("retention › a folder's documents are discarded after their period", async ({ page, app }) => {
  const client = await app.newClient('Antiga Antônia');
  for (const name of ['Velha um', 'Velha dois']) await seedDocument(app, client, { name });
  await openSession(page);
  await page.goto('/admin/folders');
  await page.getByRole('button', { name: 'Editar Faturas' }).click();
  await page.getByLabel('Guardar os documentos por (meses)').fill('seis');
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect(page.getByText('Informe de 1 a 1200 meses, ou deixe vazio.')).toBeVisible();
  await page.getByLabel('Guardar os documentos por (meses)').fill('60');
  await page.getByLabel('Descartar sozinho o que passou do prazo').check();
  await page.getByLabel('Guarda legal (motivo)').fill('CTN, art. 173');
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect(page.getByText('Pasta atualizada com sucesso!')).toBeVisible();
  const row = folderRow(page, 'Faturas');
  await expect(row).toContainText('guardar por 60 meses, depois descartar');
  await expect(row).toContainText('Guarda legal');
  await page.getByRole('button', { name: 'Editar Faturas' }).click();
  await expect(page.getByLabel('Guardar os documentos por (meses)')).toHaveValue('60');
  await page.getByLabel('Descartar sozinho o que passou do prazo').uncheck();
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect(row).toContainText('guardar por 60 meses');
  await expect(row).not.toContainText('descartar');

  // Marks the documents as the nightly job does after the retention period.
  app.portaria.execSql(
    "UPDATE documents SET retention_expired_at = '2026-11-20T05:00:00.000000+00:00' WHERE name LIKE 'Velha %'",
  );
  await page.goto('/admin/documents');
  await expect(page.getByText('2 documentos passaram do prazo de guarda.')).toBeVisible();
  await page.getByRole('link', { name: 'Ver o que descartar' }).click();
  await expect(page).toHaveURL('/admin/documents/descartar');
  await expect(page.getByRole('row', { name: 'Velha um' })).toContainText('Antiga Antônia');
  await page.getByRole('button', { name: 'Descartar Velha um' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Descartar' }).click();
  await expect(page.getByText('Documento descartado')).toBeVisible();
  await expect(page.getByRole('row', { name: 'Velha um' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Descartar todos' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('1 documento e os seus arquivos');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Descartar todos' }).click();
  await expect(page.getByText('1 documento descartado')).toBeVisible();
  await expect(page.getByText('Nenhum documento a descartar')).toBeVisible();
  const remaining = await app.admin.from('documents').select('id').like('name', 'Velha %');
  expect(remaining.data).toEqual([]);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`privacy screens › have no accessibility violations in the ${colorScheme} theme`, async ({
    browser,
    app,
  }) => {
    const client = await app.newClient('Axel da Lei');
    const held = await seedDocument(app, client, { name: 'Retido do Axel' });
    await expectOk(app.admin.from('documents').update({ legal_hold_reason: 'Processo' }).eq('id', held));
    await seedDocument(app, client, { name: 'Velha do Axel' });
    app.portaria.execSql(
      "UPDATE documents SET retention_expired_at = '2026-11-20T05:00:00.000000+00:00' WHERE name = 'Velha do Axel'",
    );
    const context = await browser.newContext({ baseURL: app.portaria.url, colorScheme });
    const page = await context.newPage();
    await signInAsAdmin(page);
    await page.goto('/admin/documents/descartar');
    await expect(page.getByRole('row', { name: 'Velha do Axel' })).toBeVisible();
    await expectAccessible(page);
    await page.goto(`/admin/documents/view/${held}`);
    await expect(page.getByText('Sob guarda legal: Processo')).toBeVisible();
    await expectAccessible(page);
    await page.goto(`/admin/clients/view/${client.id}`);
    await page.getByRole('button', { name: 'Apagar dados pessoais' }).click();
    await expect(page.getByText('sob guarda legal: Processo')).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Continuar' }).click();
    await expect(page.getByLabel('E-mail do cliente *')).toBeFocused();
    await expectAccessible(page);
    await expectOk(app.admin.from('documents').delete().eq('name', 'Velha do Axel'));
    await context.close();
  });
}
