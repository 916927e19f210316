// The main use case in Firefox: an office publishes a document, and its client reads it on a phone and asks about it.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, type TestInfo } from '@playwright/test';
import type { Browser, Page } from 'puppeteer-core';

import { byRole, byText, fill, launchFirefox, openWindow } from '../../fixtures/firefox.ts';
import { ADMIN } from '../../fixtures/server.ts';
import { test as base } from '../../fixtures/test.ts';
import { samplePdf, SAMPLE_PDF_NAME, sha256 } from '../../helpers/pdf.ts';

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const MENU = 'dialog[aria-label=Principal]';
const SHEETS = '[role=img][aria-label^=Página] canvas';
const SUBJECT = 'Dúvida';
const NAME = SAMPLE_PDF_NAME.replace(/\.pdf$/, '');

const test = base.extend<{ firefox: Browser }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads what a fixture needs from this pattern.
  firefox: async ({}, provide, testInfo) => {
    const browser = await launchFirefox();
    await provide(browser);
    // Playwright pictures only its own pages.
    if (testInfo.errors.length > 0) {
      for (const [at, page] of (await browser.pages()).entries()) {
        await page.screenshot({ path: testInfo.outputPath(`page-${at}.png`) });
      }
    }
    await browser.close();
  },
});

test('firefox › a client reads, downloads and asks about a document of the office', async ({
  firefox,
  app,
}, testInfo) => {
  const { url } = app.portaria;
  const client = await app.newClient('Raposa Vermelha Ltda');
  const bytes = await samplePdf();
  const staff = await openWindow(firefox, DESKTOP);
  const downloads = testInfo.outputPath('downloads');
  const phone = await openWindow(firefox, PHONE, downloads);

  await test.step('a member of staff publishes the document', async () => {
    await signIn(staff, `${url}/admin/login`, ADMIN);
    await byRole(staff, 'heading', 'Dashboard').wait();
    await staff.goto(`${url}/admin/documents/upload`);
    await choose(staff, 'Cliente *', client.name);
    await choose(staff, 'Pasta *', 'Faturas');
    await chooseFile(staff, await saveFile(testInfo, bytes));
    await byRole(staff, 'button', 'Salvar Documento').click();
    await byText(staff, 'Documento enviado com sucesso!').wait();
  });

  await test.step('the client opens the menu of the phone and closes it', async () => {
    await signIn(phone, `${url}/login`, client);
    await byRole(phone, 'button', 'Abrir menu').click();
    // The menu slides in.
    await expect.poll(() => menuBox(phone)).toMatchObject({ left: 0 });
    const { width } = await menuBox(phone);
    // A click into the margin of the menu is not outside.
    await phone.mouse.click(4, 4);
    expect(await isMenuOpen(phone)).toBe(true);
    await phone.mouse.click(width + 20, 400);
    await expect.poll(() => isMenuOpen(phone)).toBe(false);
    await byRole(phone, 'button', 'Abrir menu').click();
    expect(await isMenuOpen(phone)).toBe(true);
    await phone.keyboard.press('Escape');
    await expect.poll(() => isMenuOpen(phone)).toBe(false);
  });

  await test.step('the client reads and downloads the document', async () => {
    await openEntry(phone, 'Documentos');
    await phone.locator('main a ::-p-text(Faturas)').click();
    await byText(phone, NAME).click();
    await byRole(phone, 'heading', NAME).wait();
    await expect.poll(() => phone.$$eval(SHEETS, countColors)).toBeGreaterThan(20);
    await byRole(phone, 'button', 'Baixar Documento').click();
    const file = join(downloads, SAMPLE_PDF_NAME);
    await expect.poll(() => readFile(file).then(sha256, () => undefined)).toBe(sha256(bytes));
  });

  await test.step('the client asks, and the answer of the office appears', async () => {
    await openEntry(phone, 'Tickets');
    await byRole(phone, 'link', 'Novo Ticket').click();
    await fill(phone, 'Assunto', SUBJECT);
    await fill(phone, 'Mensagem', 'O valor está certo?');
    await byRole(phone, 'button', 'Enviar Ticket').click();
    await byText(phone, 'Seu ticket foi enviado com sucesso').wait();
    await byRole(phone, 'link', SUBJECT).click();
    await phone.locator('[role=log] ::-p-text(O valor está certo?)').wait();

    await staff.goto(`${url}/admin/tickets`);
    await byRole(staff, 'link', SUBJECT).click();
    await fill(staff, 'Sua resposta', 'Conferimos.');
    await byRole(staff, 'button', 'Enviar resposta').click();
    await phone.locator('[role=log] ::-p-text(Conferimos.)').wait();
  });
});

async function signIn(page: Page, address: string, { email, password }: typeof ADMIN): Promise<void> {
  await page.goto(address);
  await fill(page, 'E-mail', email);
  await page.locator('input[type=password]').fill(password);
  await byRole(page, 'button', 'Entrar').click();
}

/** Follows an entry of the phone's menu. */
async function openEntry(page: Page, entry: string): Promise<void> {
  await byRole(page, 'button', 'Abrir menu').click();
  await page.locator(`dialog[open] ::-p-text(${entry})`).click();
}

function isMenuOpen(page: Page): Promise<boolean> {
  return page.$eval(MENU, (menu) => menu.matches('[open]'));
}

function menuBox(page: Page): Promise<{ left: number; width: number }> {
  return page.$eval(MENU, (menu) => {
    const { left, width } = menu.getBoundingClientRect();
    return { left, width };
  });
}

/** The number of colors in the preview of the first page. An empty canvas has one. */
function countColors([canvas]: HTMLCanvasElement[]): number {
  const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data;
  return new Set(new Uint32Array(pixels?.buffer ?? new ArrayBuffer(0))).size;
}

async function choose(page: Page, label: string, name: string): Promise<void> {
  await byRole(page, 'combobox', label).fill(name);
  // The name of an option contains its hint.
  await page.locator(`[role=option] ::-p-text(${name})`).click();
}

async function saveFile(testInfo: TestInfo, bytes: Buffer): Promise<string> {
  const path = testInfo.outputPath(SAMPLE_PDF_NAME);
  await writeFile(path, bytes);
  return path;
}

async function chooseFile(page: Page, path: string): Promise<void> {
  const input = await page.locator('input[type=file]').waitHandle();
  await input.uploadFile(path);
}
