// Mails received by an independent mail server and rendered in the browser.

import { expect, type Page, type TestInfo } from '@playwright/test';

import { ADMIN } from '../../fixtures/server.ts';
import {
  type SmtpServer,
  type ReceivedMail,
  visibleText,
  startSmtpServer,
  partText,
} from '../../fixtures/smtp-server.ts';
import { createTestApp, openSession, test as base, type TestApp } from '../../fixtures/test.ts';
import { expectOk, serviceClient } from '../../helpers/api.ts';
import { seedDocument } from '../../helpers/documents.ts';
import { templatesTable, toolbarButton, contentField } from '../../helpers/templates.ts';

const test = base.extend<object, { mailServer: SmtpServer; app: TestApp }>({
  mailServer: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads what a fixture needs from this pattern.
    async ({}, provide) => {
      const server = await startSmtpServer();
      await provide(server);
      await server.stop();
    },
    { scope: 'worker' },
  ],
  app: [
    async ({ mailServer }, provide) => {
      const app = await createTestApp(mailServer.settings);
      await provide(app);
      await app.portaria.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
});

/** A pasted picture of one color. */
const PICTURE = { width: 240, height: 60, color: '#0e5a6b' };

async function pastePicture(page: Page): Promise<void> {
  await contentField(page).evaluate(async (element, { width, height, color }) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('There is no canvas.');
    context.fillStyle = color;
    context.fillRect(0, 0, width, height);
    const blob = await canvas.convertToBlob({ type: 'image/png' });
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([blob], 'logo.png', { type: 'image/png' }));
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, PICTURE);
}

type EditorElement = Element & { editor?: { state: { selection: { empty: boolean } } } };
const hasCursor = (element: EditorElement) => element.editor?.state.selection.empty;

/** Waits until the editor has a cursor instead of a selection. The browser reports it some time after the key. */
const expectCursor = (page: Page) => expect.poll(() => contentField(page).evaluate(hasCursor)).toBe(true);

/** Renders the mail in a window of this width and attaches a screenshot to the test's results. */
async function renderMail(reader: Page, mail: ReceivedMail, width: number, info: TestInfo): Promise<void> {
  await reader.setViewportSize({ width, height: 900 });
  await reader.setContent(visibleText(mail));
  await info.attach(`mail-${width}.png`, { body: await reader.screenshot(), contentType: 'image/png' });
}

/** The color in the middle of the mail's picture, or an empty array if the picture did not load. */
async function colorOf(page: Page): Promise<number[]> {
  return page.locator('img').evaluate((picture: HTMLImageElement) => {
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d');
    if (context === null || picture.naturalWidth === 0) return [];
    context.drawImage(picture, 0, 0);
    return [...context.getImageData(picture.naturalWidth / 2, picture.naturalHeight / 2, 1, 1).data];
  });
}

test('visual editor › the received mail looks as written, with its picture', async ({
  page,
  browser,
  app,
  mailServer,
}, info) => {
  const reader = await browser.newPage();
  await openSession(page);
  await page.goto('/admin/email-templates/new');
  await page.getByLabel('Nome do Template').fill('Fatura com logo');
  await page.getByLabel('Gatilho do Evento').selectOption('Nova fatura');
  await page.getByLabel('Assunto do Email').fill('Fatura à disposição, {{client.name}}');
  await contentField(page).click();
  await page.keyboard.type('Sua fatura chegou');
  await page.keyboard.press('ControlOrMeta+a');
  await toolbarButton(page, 'Título 1').click();
  await toolbarButton(page, 'Cor do texto').click();
  await page.getByRole('menuitemradio', { name: 'Vermelho' }).click();
  await toolbarButton(page, 'Alinhamento').click();
  await page.getByRole('menuitemradio', { name: 'Ao centro' }).click();
  // The editor has the focus again in the next frame.
  await expect(contentField(page)).toBeFocused();
  await page.keyboard.press('End');
  await expectCursor(page);
  await page.keyboard.press('Enter');
  await page.keyboard.type('Olá, ');
  await page.getByRole('button', { name: /^Inserir {{client.name}}/ }).click();
  await expect(contentField(page)).toBeFocused();
  await page.keyboard.type('! Até 30 de novembro: não há acréscimo. ');
  await page.getByRole('button', { name: /^Inserir {{document.name}}/ }).click();
  await expect(contentField(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await pastePicture(page);
  await expect(contentField(page).locator('img[src^="data:image/png"]')).toBeVisible();

  await page.getByRole('button', { name: 'Enviar teste para mim' }).click();
  await expect(page.getByText('Teste na fila de e-mails')).toBeVisible();
  const testMail = await mailServer.mail('[Teste] Fatura à disposição, Cliente de exemplo');
  expect(testMail).toMatchObject({ to: [ADMIN.email], defects: [] });
  await expectRendered(testMail, 'Cliente de exemplo', 'Documento de exemplo');

  // The saved template reaches the client with the next document.
  await page.getByRole('button', { name: 'Criar Template' }).click();
  await expect(page.getByText('Template criado com sucesso!')).toBeVisible();
  const settings = serviceClient(app.portaria).from('email_notification_settings');
  await expectOk(settings.upsert({ document_type_event: 'fatura_new', enabled: true }));
  const client = await app.newClient('João d’Ávila & Filhos');
  await seedDocument(app, client, { name: 'Fatura <11/2026>' });
  const mail = await mailServer.mail('Fatura à disposição, João d’Ávila & Filhos');
  expect(mail).toMatchObject({ to: [client.email], defects: [] });
  expect(mail.headers['list-unsubscribe']).toMatch(/^<http.*\/cancelar-avisos\/.*>$/);
  await expectRendered(mail, 'João d’Ávila & Filhos', 'Fatura <11/2026>');
  await expectOk(templatesTable(app).delete().eq('name', 'Fatura com logo'));
  await reader.close();

  async function expectRendered(received: ReceivedMail, name: string, documentName: string): Promise<void> {
    expect(received.parts.map(({ type }) => type)).toEqual(['text/plain', 'text/html', 'image/png']);
    expect(partText(received, 'text/plain')).toContain(`Olá, ${name}! Até 30 de novembro: não há acréscimo.`);
    for (const width of [1_000, 390]) {
      await renderMail(reader, received, width, info);
      const heading = reader.getByRole('heading', { level: 1, name: 'Sua fatura chegou' });
      await expect(heading).toBeVisible();
      await expect(heading).toHaveCSS('text-align', 'center');
      await expect(heading).toHaveCSS('font-size', '24px');
      await expect(heading.locator('span')).toHaveCSS('color', 'rgb(179, 38, 30)');
      await expect(reader.getByText(`Olá, ${name}! Até 30 de novembro`)).toBeVisible();
      await expect(reader.getByText(documentName)).toBeVisible();
      expect(await colorOf(reader)).toEqual([14, 90, 107, 255]);
      // Nothing is wider than the window.
      expect(await reader.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  }
});

test("password recovery › the received mail's link sets a new password", async ({
  page,
  browser,
  app,
  mailServer,
}, info) => {
  const client = await app.newClient('Rosa Esquecida');
  await page.goto('/recuperar-senha');
  await page.getByLabel('E-mail').fill(client.email);
  await page.getByRole('button', { name: 'Enviar Link' }).click();
  const mail = await mailServer.mail('Redefinição de senha');
  expect(mail).toMatchObject({ to: [client.email], defects: [] });
  const reader = await browser.newPage();
  await renderMail(reader, mail, 1_000, info);
  const button = reader.getByRole('link').first();
  await expect(button).toBeVisible();
  await expect(button).toHaveCSS('background-color', 'rgb(14, 90, 107)');
  const address = (await button.getAttribute('href')) ?? '';
  await reader.close();
  await page.goto(address);
  await page.getByLabel('Nova senha', { exact: true }).fill('outra senha boa');
  await page.getByLabel('Confirmar nova senha', { exact: true }).fill('outra senha boa');
  await page.getByRole('button', { name: 'Atualizar Senha' }).click();
  await expect(
    page.getByText('Senha atualizada com sucesso! Você pode fazer login com sua nova senha.').first(),
  ).toBeVisible();
});
