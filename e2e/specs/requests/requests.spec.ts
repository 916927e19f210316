// Requests: the office asks for items, clients answer from a phone, the office accepts and refuses.
import { readFile } from 'node:fs/promises';

import { expect, type Page } from '@playwright/test';

import { holdRequest, signInAsAdmin, signInAsClient, test, type TestApp } from '../../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';
import { expectOk, type Person, signIn, unwrap } from '../../helpers/api.ts';
import { dayFromNow } from '../../helpers/clock.ts';
import { pdfWithText } from '../../helpers/pdf.ts';
import { pdfFile } from '../../helpers/upload.ts';

// A photo of a phone, which Chromium does not show without the server's help.
const PHOTO = new URL('../../../crates/portaria/tests/it/storage/photo.heic', import.meta.url);
const PHONE = { width: 390, height: 844 };
const month = dayFromNow(0).slice(0, 7);
const item = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Solicitações atuais' }).getByRole('listitem').filter({ hasText: name });

async function ask(app: TestApp, client: Person, names: string[]): Promise<void> {
  const rows = names.map((name) => ({ client_id: client.id, name, month, due_on: dayFromNow(3) }));
  await expectOk(app.admin.from('request_items').insert(rows));
}

/** Sends a file for an item, as its client. */
async function sendFile(session: TestApp['admin'], { id }: Person, name: string): Promise<void> {
  const found = await unwrap(session.from('request_items').select('id').eq('name', name).single());
  const path = `${id}/${found.id}/${Date.now()}-outro.pdf`;
  const pdf = new Blob([new Uint8Array(await pdfWithText('outro'))], { type: 'application/pdf' });
  await unwrap(session.storage.from('received-files').upload(path, pdf));
  await expectOk(
    session.from('received_files').insert({ item_id: found.id, name: 'outro.pdf', file_url: path }),
  );
}

test('requests › the office asks two clients by a template, and sees the month', async ({ page, app }) => {
  const [ana, bia] = [await app.newClient('Ana Pedida'), await app.newClient('Bia Pedida')];
  await signInAsAdmin(page);
  await page.getByRole('navigation').getByRole('link', { name: 'Solicitações' }).click();
  await expect(page.getByText('Nada para conferir')).toBeVisible();
  await page.getByRole('link', { name: 'Nova solicitação' }).click();
  await page.getByRole('button', { name: 'Solicitar' }).click();
  await expect(page.getByText('Escolha pelo menos um cliente.')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Clientes' })).toBeFocused();
  await expect(page.getByRole('button', { name: 'Adicionar todos' })).toBeVisible();
  for (const name of ['Ana Pedida', 'Bia Pedida']) {
    await page.getByRole('combobox', { name: 'Clientes' }).fill(name);
    await page.getByRole('option', { name }).click();
  }
  await page.getByRole('textbox', { name: 'Item 1' }).fill('Extrato bancário');
  await page.getByLabel('Orientação').fill('Em PDF, de todas as contas');
  await page.getByLabel('Repetir todo mês').check();
  await page.getByRole('button', { name: 'Adicionar item' }).click();
  await page.getByRole('textbox', { name: 'Item 2' }).fill('Notas de entrada');
  await page.getByRole('button', { name: 'Salvar como modelo' }).click();
  await page.getByLabel('Nome do modelo').fill('Documentos do mês');
  await page.getByRole('dialog').getByRole('button', { name: 'Salvar' }).click();
  await expect(page.getByText('Modelo salvo', { exact: true })).toBeVisible();
  await page.getByLabel('Prazo').fill('2020-01-01');
  await page.getByRole('button', { name: 'Solicitar' }).click();
  await expect(page.getByText('O prazo já passou.')).toBeVisible();
  await page.getByLabel('Prazo').fill(dayFromNow(5));
  // The form survives a reload, and the end of a session.
  await page.reload();
  await expect(page.getByText('A solicitação que você começou continua aqui')).toBeVisible();
  await expect(page.getByText('2 clientes escolhidos')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Item 2' })).toHaveValue('Notas de entrada');
  await expectAccessibleInBothThemes(page);
  let requests = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/rest/v1/request_items')) requests += 1;
  });
  // A second click before the next render asks no second time.
  await page.getByRole('button', { name: 'Solicitar' }).evaluate((button: HTMLButtonElement) => {
    button.click();
    button.click();
  });
  await expect(page.getByText('Solicitação criada')).toBeVisible();

  const grid = page.getByRole('table', { name: /^Solicitações de/ });
  await expect(grid.getByRole('button', { name: /: Aguardando$/ })).toHaveCount(4);
  expect(requests).toBe(1);
  expect(await page.evaluate(() => Object.keys(localStorage).join())).not.toContain('portaria-draft');
  await expectAccessibleInBothThemes(page);
  await page.getByRole('button', { name: 'Só quem falta' }).click();
  await page.getByRole('searchbox', { name: 'Buscar cliente do mês...' }).fill('bia');
  await expect(grid.getByRole('button', { name: /: Aguardando$/ })).toHaveCount(2);
  await expect(page).toHaveURL(/&envio=falta&cliente=bia$/);
  await page.getByRole('button', { name: 'Recebidos' }).click();
  await expect(grid).toBeHidden();
  await page.goBack();
  await expect(grid.getByRole('button', { name: /: Aguardando$/ })).toHaveCount(2);
  await page.getByRole('button', { name: 'Limpar busca' }).click();
  await grid.getByRole('button', { name: 'Extrato bancário de Ana Pedida: Aguardando' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Lembrar' }).click();
  const reminder = page.getByRole('alertdialog', { name: 'Enviar lembretes' });
  await reminder.getByRole('button', { name: 'Lembrar' }).click();
  await expect(page.getByText('1 lembrete na fila de e-mails')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Lembrar quem não enviou' }).click();
  await reminder.getByRole('button', { name: 'Lembrar' }).click();
  await expect(page.getByText('3 lembretes na fila de e-mails')).toBeVisible();
  await expect(page.getByText('1 já lembrado hoje')).toBeVisible();
  for (const { id } of [ana, bia]) {
    const asked = await unwrap(
      app.admin.from('request_items').select('name,repeats_monthly').eq('client_id', id).order('name'),
    );
    expect(asked).toEqual([
      { name: 'Extrato bancário', repeats_monthly: true },
      { name: 'Notas de entrada', repeats_monthly: false },
    ]);
  }
  // The template fills the next request, and typed items stay.
  await page.goto('/admin/solicitacoes/nova');
  await page.getByRole('textbox', { name: 'Item 1' }).fill('Folha de ponto');
  await page.getByLabel('Modelo').selectOption('Documentos do mês');
  await expect(page.getByRole('textbox', { name: 'Item 1' })).toHaveValue('Folha de ponto');
  await expect(page.getByRole('textbox', { name: 'Item 3' })).toHaveValue('Notas de entrada');
  // Items of the month that exist already are counted apart.
  const askAna = async () => {
    await page.getByRole('combobox', { name: 'Clientes' }).fill('Ana Pedida');
    await page.getByRole('option', { name: 'Ana Pedida' }).click();
    await page.getByRole('button', { name: 'Solicitar' }).click();
  };
  await askAna();
  await expect(
    page.getByText(/^1 item novo\. 2 itens já tinham sido pedidos em .* ficaram como/),
  ).toBeVisible();
  await expect(grid.getByRole('button', { name: 'Folha de ponto de Ana Pedida: Aguardando' })).toBeVisible();
  await page.getByRole('link', { name: 'Nova solicitação' }).click();
  await page.getByRole('textbox', { name: 'Item 1' }).fill('Folha de ponto');
  await askAna();
  await expect(page.getByText('Nenhum item novo')).toBeVisible();
  await expect(page.getByText(/^1 item já tinha sido pedido em .*\. Abra o item para ver/)).toBeVisible();
  await expect(grid).toBeVisible();
});

test('requests › a client answers from a phone, and a refused answer is sent again', async ({
  page,
  app,
  browser,
}) => {
  const client = await app.newClient('Caio Celular');
  await ask(app, client, ['RG e CPF', 'Comprovante de endereço']);
  const asClient = await signIn(app.portaria, client);
  // An answer about an earlier month can be taken back for some days.
  const old = { client_id: client.id, name: 'Recibos antigos', month: dayFromNow(-90).slice(0, 7) };
  await expectOk(app.admin.from('request_items').insert(old));
  await expectOk(asClient.from('request_items').update({ status: 'nothing' }).eq('name', old.name));
  await page.setViewportSize(PHONE);
  await signInAsClient(page, client);
  await expect(page.getByRole('heading', { name: 'O escritório precisa de você' })).toBeVisible();
  await expect(page.getByRole('link', { name: /Enviar até .* Falta enviar/ })).toHaveCount(2);
  await expectAccessibleInBothThemes(page);
  await page.getByRole('link', { name: /RG e CPF/ }).click();
  await expect(page).toHaveURL('/solicitacoes');
  // Both sides in one choice of files.
  await item(page, 'RG e CPF')
    .getByLabel('Enviar arquivos para RG e CPF', { exact: true })
    .setInputFiles([
      pdfFile('frente.pdf', await pdfWithText('frente')),
      pdfFile('verso.pdf', await pdfWithText('verso')),
    ]);
  await expect(page.getByText('2 arquivos enviados')).toBeVisible();
  await expect(item(page, 'RG e CPF').getByText('Enviado', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Nada a enviar: Comprovante de endereço' }).click();
  await expect(item(page, 'Comprovante').getByText('não há nada a enviar')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Solicitações atuais' }).getByRole('heading')).toHaveCount(3);
  await expect(item(page, old.name).getByRole('button', { name: /^Desfazer/ })).toBeVisible();
  await expectAccessibleInBothThemes(page);

  const office = await browser.newPage({ baseURL: app.portaria.url });
  await signInAsAdmin(office);
  // The notification of an answer without files leads to its month.
  await office.getByRole('button', { name: /^Notificações/ }).click();
  await office.getByRole('link', { name: /Caio Celular · Comprovante de endereço/ }).click();
  await expect(
    office.getByRole('button', { name: 'Comprovante de endereço de Caio Celular: Nada a enviar' }),
  ).toBeVisible();
  const menu = office.getByRole('navigation');
  await menu.getByRole('link', { name: 'Dashboard' }).click();
  await menu.getByRole('link', { name: 'Solicitações' }).click();
  await office.getByRole('button', { name: 'Conferir RG e CPF de Caio Celular' }).click();
  const dialog = office.getByRole('dialog');
  await expect(dialog.getByRole('list', { name: 'Arquivos enviados' }).getByRole('listitem')).toHaveCount(2);
  await dialog.getByRole('button', { name: 'Recusar' }).click();
  await dialog.getByLabel('Motivo').fill('A foto está escura');
  await dialog.press('Escape');
  const unsaved = office.getByRole('alertdialog', { name: 'Sair sem salvar?' });
  await unsaved.getByRole('button', { name: 'Continuar editando' }).click();
  await office.goBack();
  await unsaved.getByRole('button', { name: 'Continuar editando' }).click();
  await expect(dialog.getByLabel('Motivo')).toHaveValue('A foto está escura');
  // A file that arrives meanwhile is not refused unseen.
  await sendFile(asClient, client, 'RG e CPF');
  await dialog.getByRole('button', { name: 'Recusar' }).click();
  await expect(dialog.getByRole('alert')).toContainText('O cliente enviou novos arquivos');
  await expect(dialog.getByRole('list', { name: 'Arquivos enviados' }).getByRole('listitem')).toHaveCount(3);
  await dialog.getByRole('button', { name: 'Recusar' }).click();
  await expect(dialog.getByLabel('Motivo')).toHaveValue('A foto está escura');
  await dialog.getByRole('button', { name: 'Recusar' }).dblclick();
  await expect(dialog).toBeHidden();
  const refusals = (await app.portaria.mails()).filter(({ event }) => event === 'request_refused');
  expect(refusals.map(({ recipient }) => recipient)).toEqual([client.email]);

  await page.reload();
  await expect(item(page, 'RG e CPF').getByText('A foto está escura')).toBeVisible();
  await page.getByRole('button', { name: 'Nada a enviar: RG e CPF' }).click();
  const question = page.getByRole('alertdialog', { name: 'Responder sem enviar de novo?' });
  await expect(question).toContainText('“A foto está escura”');
  await expectAccessibleInBothThemes(page);
  await question.getByRole('button', { name: 'Cancelar' }).click();
  await item(page, 'RG e CPF')
    .getByLabel('Enviar arquivos para RG e CPF', { exact: true })
    .setInputFiles({ name: 'nítida.heic', mimeType: 'image/heic', buffer: await readFile(PHOTO) });
  await expect(page.getByText('1 arquivo enviado', { exact: true })).toBeVisible();

  await office.reload();
  await office.getByRole('button', { name: 'Conferir RG e CPF de Caio Celular' }).click();
  const shown = dialog.getByRole('list', { name: 'Imagens' }).locator('img');
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(64);
  await dialog.getByRole('button', { name: 'Aceitar e arquivar' }).click();
  await dialog.getByLabel('Pasta').selectOption('Contratos');
  await dialog.getByLabel('Nome do documento de nítida.heic').fill('RG e CPF de Caio');
  await dialog.getByRole('button', { name: 'Aceitar e arquivar' }).click();
  await expect(office.getByText('1 arquivo arquivado')).toBeVisible();
  await office.close();

  await page.reload();
  await expect(page.getByText('Aceito', { exact: true })).toBeVisible();
  const documents = await unwrap(asClient.from('documents').select('id,name,reference_month'));
  expect(documents).toEqual([{ id: expect.any(String), name: 'RG e CPF de Caio', reference_month: month }]);
  await page.goto(`/documents/view/${documents[0]?.id}`);
  const photo = page.getByRole('img', { name: 'RG e CPF de Caio' });
  await expect.poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(64);
});

test('requests › a client sends a document unasked, and the office files it', async ({
  page,
  app,
  browser,
}) => {
  const client = await app.newClient('Dora Espontânea');
  await signInAsClient(page, client);
  await page.getByRole('link', { name: 'Enviar documento' }).click();
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
  await expect(page.getByText('Escolha pelo menos um arquivo.')).toBeVisible();
  const files = page.locator('input[type=file][multiple]');
  await files.setInputFiles([{ name: 'vírus.exe', mimeType: 'application/pdf', buffer: Buffer.from('MZ') }]);
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
  await expect(page.getByText('vírus.exe não foi enviado')).toBeVisible();
  // The picker and the refusal name what is taken.
  await expect(page.getByText(/10MB cada: PDF, fotos, vídeos, Word, .* e ZIP$/)).toBeVisible();
  await expect(page.getByText(/não é aceito\. Envie PDF, foto, vídeo, Word, .* ou ZIP\.$/)).toBeVisible();
  await page.getByRole('button', { name: /Remover vírus\.exe/ }).click();
  await files.setInputFiles(pdfFile('contrato de aluguel.pdf', await pdfWithText('aluguel')));
  await page.getByLabel('Recado').fill('É o do galpão novo.');
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
  await expect(page.getByText('1 arquivo enviado', { exact: true })).toBeVisible();
  const sent = page.getByRole('main');
  await expect(sent.getByText('contrato de aluguel.pdf')).toBeVisible();
  await expect(sent.getByText('Recebido', { exact: true })).toBeVisible();
  await expectAccessibleInBothThemes(page);

  const context = await browser.newContext({ baseURL: app.portaria.url });
  const office = await context.newPage();
  await signInAsAdmin(office);
  // The dashboard names what waits to be filed.
  await office.getByRole('link', { name: 'contrato de aluguel.pdf', exact: true }).click();
  await expect(office).toHaveURL('/admin/solicitacoes?visao=recebidos');
  await expect(office.getByText('É o do galpão novo.')).toBeVisible();
  const shown = office.getByRole('button', { name: 'Ver contrato de aluguel.pdf' });
  await shown.click();
  await expect(office.getByRole('dialog').locator('canvas')).toBeVisible();
  await expectAccessibleInBothThemes(office);
  await office.keyboard.press('Escape');
  await expect(shown).toBeFocused();
  await office.getByRole('button', { name: 'Arquivar contrato de aluguel.pdf' }).click();
  const dialog = office.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Arquivar' }).click();
  await expect(dialog.getByText('Escolha uma pasta.')).toBeVisible();
  await dialog.getByLabel('Pasta').selectOption('Contratos');
  await dialog.getByRole('button', { name: 'Arquivar' }).click();
  await expect(office.getByText('1 arquivo arquivado')).toBeVisible();
  await expect(office.getByText('É o do galpão novo.')).toBeHidden();
  await context.close();

  await page.reload();
  await expect(sent.getByText('Arquivado', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Remover contrato de aluguel.pdf' })).toBeHidden();
});

test('requests › leaving while a file is on its way asks first, and a sent file is removed after a question', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Iolanda Apressada');
  await ask(app, client, ['Extrato da conta']);
  await page.setViewportSize(PHONE);
  await signInAsClient(page, client);
  await page.getByRole('link', { name: /Extrato da conta/ }).click();
  const upload = await holdRequest(page, /\/storage\/v1\/object\//, 'POST');
  await item(page, 'Extrato da conta')
    .getByLabel('Enviar arquivos para Extrato da conta', { exact: true })
    .setInputFiles(pdfFile('extrato.pdf', await pdfWithText('extrato')));
  await upload.started;
  await expect(page.getByRole('progressbar', { name: 'Enviando extrato.pdf' })).toBeVisible();
  // The page listens to the Back button a moment after it has drawn the bar.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  await page.goBack();
  const question = page.getByRole('alertdialog', { name: 'Interromper o envio?' });
  await question.getByRole('button', { name: 'Continuar enviando' }).click();
  await expect(page).toHaveURL('/solicitacoes');
  upload.release();
  await expect(page.getByText('1 arquivo enviado', { exact: true })).toBeVisible();

  const remove = page.getByRole('button', { name: 'Remover extrato.pdf' });
  await remove.click();
  const removal = page.getByRole('alertdialog', { name: 'Remover o arquivo?' });
  // The notice about the upload does not cover the buttons of the sheet.
  await removal.getByRole('button', { name: 'Remover', exact: true }).click({ trial: true, timeout: 3_000 });
  await expect(page.getByText('1 arquivo enviado', { exact: true })).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await removal.getByRole('button', { name: 'Cancelar' }).click();
  await expect(remove).toBeFocused();
  await remove.click();
  await removal.getByRole('button', { name: 'Remover', exact: true }).click();
  await expect(page.getByText('Arquivo removido')).toBeVisible();
  await expect(remove).toBeHidden();
  // Nothing is on its way, so the page is left without a question.
  await page.goBack();
  await expect(page).toHaveURL('/');
});
