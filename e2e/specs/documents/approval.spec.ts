// Answers to documents: the office asks, the client refuses with a reason and approves later.

import { expect } from '@playwright/test';

import { openSession, signInAsAdmin, signInAsClient, test, type TestApp } from '../../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';
import { expectOk, type Person, unwrap } from '../../helpers/api.ts';
import { seedDocument } from '../../helpers/documents.ts';

test('approval › a client refuses on a phone, the office asks again, and the client approves', async ({
  page,
  app,
  browser,
}) => {
  const person = await app.newClient('Construtora Aprovação & Irmãos Ltda');
  const id = await seedDocument(app, person, { name: 'Contrato social – 4ª alteração', folder: 'contratos' });
  await signInAsAdmin(page);
  await page.goto(`/admin/documents/view/${id}`);
  await page.getByLabel('Resposta pedida').selectOption('Aprovação');
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(page.getByText('Documento atualizado com sucesso!')).toBeVisible();
  await expect(page.getByText('Aprovação pedida. O cliente ainda não respondeu.')).toBeVisible();

  const phone = await browser.newContext({
    baseURL: app.portaria.url,
    viewport: { width: 390, height: 844 },
  });
  const client = await phone.newPage();
  await signInAsClient(client, person);
  await client.getByRole('link', { name: /Contrato social – 4ª alteração.*Aprovar ou recusar/ }).click();
  const card = client.locator('section', { hasText: 'Sua resposta' });
  await expect(card.getByText('O escritório espera a sua aprovação.')).toBeVisible();
  await card.getByRole('button', { name: 'Recusar' }).click();
  const dialog = client.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Recusar' }).click();
  await expect(dialog.getByText('Informe o motivo da recusa.')).toBeVisible();
  await expectAccessibleInBothThemes(client);
  await dialog.getByLabel('Motivo').fill('Cláusula 5: endereço antigo.\nCláusula 9: falta a data.');
  await dialog.getByRole('button', { name: 'Recusar' }).click();
  await expect(client.getByText('Resposta enviada')).toBeVisible();
  await expect(card.getByText(/^Recusado em /)).toBeVisible();
  const reason = 'Motivo: Cláusula 5: endereço antigo.\nCláusula 9: falta a data.';
  expect(await card.getByText('Motivo: ').innerText()).toBe(reason);

  await page.goto('/admin/documents?resposta=recusados');
  await page.getByRole('link', { name: 'Contrato social – 4ª alteração' }).click();
  await expect(page.getByText('Motivo: ')).toBeVisible();
  expect(await page.getByText('Motivo: ').innerText()).toBe(reason);
  await expect(page.getByRole('list', { name: 'Linha do tempo' })).toContainText('Recusado pelo cliente');
  await page.getByRole('button', { name: 'Pedir de novo' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Pedir de novo' }).click();
  await expect(page.getByText('Aprovação pedida. O cliente ainda não respondeu.')).toBeVisible();

  await client.reload();
  await card.getByRole('button', { name: 'Aprovar' }).click();
  await dialog.getByRole('button', { name: 'Aprovar' }).click();
  await expect(card.getByText(/^Aprovado em /)).toBeVisible();
  await expectAccessibleInBothThemes(client);
  await phone.close();
});

test('approval › an answer about a replaced file is refused, and the new file is shown', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Trocado de Arquivo');
  const id = await seedDocument(app, person, { name: 'Aviso aos sócios', folder: 'contratos' });
  await expectOk(app.admin.from('documents').update({ approval_request: 'acknowledge' }).eq('id', id));
  await openSession(page, person);
  await page.goto(`/documents/view/${id}`);
  const replaced = page.getByText('O escritório trocou o arquivo. Leia o novo antes de responder.');
  const confirm = page.getByRole('button', { name: 'Ciente' });
  await expect(confirm).toBeVisible();
  // Staff replace the file while the client reads.
  await replaceFile(app, person, id);
  await confirm.click();
  await expect(replaced).toBeVisible();
  await confirm.click();
  await expect(page.getByText(/^Leitura confirmada em /)).toBeVisible();

  await replaceFile(app, person, id, 'approve');
  await page.reload();
  await page.getByRole('button', { name: 'Aprovar' }).click();
  await replaceFile(app, person, id);
  await page.getByRole('dialog').getByRole('button', { name: 'Aprovar' }).click();
  await expect(replaced).toBeVisible();
  await expect(page.getByRole('dialog')).toBeHidden();
});

async function replaceFile(app: TestApp, { id: owner }: Person, id: string, request?: 'approve') {
  const path = `public/${owner}/contratos/${Date.now()}-novo.pdf`;
  const file = new Blob(['%PDF-1.4\n%%EOF\n'], { type: 'application/pdf' });
  await unwrap(app.admin.storage.from('client-documents').upload(path, file));
  const changes = { file_url: path, ...(request && { approval_request: request }) };
  await expectOk(app.admin.from('documents').update(changes).eq('id', id));
}
