// The main use case in the browser: an office sends a client a document.

import { readFile } from 'node:fs/promises';

import { expect, type Locator, type Page } from '@playwright/test';

import { signInAsAdmin, signInAsClient, test } from '../../fixtures/test.ts';
import { samplePdf, SAMPLE_PDF_NAME, SAMPLE_PDF_PAGES, sha256 } from '../../helpers/pdf.ts';

const JOAO = { name: 'João da Conceição', email: 'joao@aurora.com.br', password: 'pão quente às seis' };
const MARIANA = {
  name: 'Mariana Albuquerque',
  email: 'mariana@vivabem.com.br',
  password: 'consulta às sete',
};
const NAME = SAMPLE_PDF_NAME.replace(/\.pdf$/, '');

test('document delivery › the client reads, downloads and prints it, and another client sees nothing', async ({
  browser,
  page,
}) => {
  const bytes = await samplePdf();
  const expiry = inThreeDays();

  await test.step('the administrator creates two clients', async () => {
    await signInAsAdmin(page);
    for (const person of [JOAO, MARIANA]) {
      await createClient(page, person);
    }
  });

  await test.step('the administrator uploads the document into a folder', async () => {
    await page.getByRole('link', { name: 'Documentos' }).click();
    await page.getByRole('link', { name: 'Novo Documento' }).first().click();
    await expect(page.getByRole('heading', { name: 'Enviar Novo Documento' })).toBeVisible();
    await page.getByLabel('Cliente').fill('joao da conc');
    await page.getByRole('option', { name: JOAO.name }).click();
    await page.getByLabel('Pasta').fill('fatu');
    await page.getByRole('option', { name: 'Faturas' }).click();
    await page
      .getByLabel('Arquivo')
      .setInputFiles({ name: SAMPLE_PDF_NAME, mimeType: 'application/pdf', buffer: bytes });
    await expect(page.getByLabel('Nome do Documento')).toHaveValue(NAME);
    await expect(page.getByLabel('Tipo do Documento')).toHaveValue('pdf');
    await page.getByLabel('Data de Vencimento').fill(expiry.iso);
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    await expect(page.getByText('Documento enviado com sucesso!')).toBeVisible();
    await expect(page).toHaveURL('/admin/documents');
    // Other tests of this worker may have sent the same document to other clients.
    const row = page.getByRole('row', { name: NAME }).filter({ hasText: JOAO.name });
    await expect(row).toContainText('Faturas');
    await expect(row).toContainText(expiry.short);
  });

  let folder = '';
  let address = '';
  const joao = await browser.newPage();
  await joao.addInitScript(watchPrinting);

  await test.step("the client's home page shows counts and the coming expiry", async () => {
    await signInAsClient(joao, JOAO);
    await expect(
      joao.getByRole('link', { name: /Documentos/ }).getByText('1', { exact: true }),
    ).toBeVisible();
    await expect(joao.getByRole('link', { name: NAME })).toContainText(`Vence em ${expiry.short}`);
  });

  await test.step('the client opens the folder and reads the document', async () => {
    await joao.getByRole('navigation').getByRole('link', { name: 'Documentos' }).click();
    await joao.getByRole('link', { name: /Faturas/ }).click();
    const card = joao.getByRole('link', { name: NAME });
    await expect(card).toContainText('PDF');
    await expect(card).toContainText(`Vence em ${expiry.short}`);
    folder = joao.url();
    await card.click();
    await expect(joao.getByRole('heading', { level: 1, name: NAME })).toBeVisible();
    address = joao.url();
    for (let number = 1; number <= SAMPLE_PDF_PAGES; number += 1) {
      const sheet = joao.getByRole('img', { name: `Página ${number}`, exact: true });
      await sheet.scrollIntoViewIfNeeded();
      await expect.poll(() => countColors(sheet)).toBeGreaterThan(20);
    }
  });

  await test.step('the client downloads it byte for byte under its own name', async () => {
    const download = joao.waitForEvent('download');
    await joao.getByRole('button', { name: 'Baixar Documento' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(SAMPLE_PDF_NAME);
    expect(sha256(await readFile(await file.path()))).toBe(sha256(bytes));
  });

  await test.step('the client prints it', async () => {
    await joao.getByRole('button', { name: 'Imprimir Documento' }).click();
    await expect.poll(() => joao.evaluate(() => Reflect.get(window, 'printed'))).toBe(SAMPLE_PDF_PAGES);
  });

  await test.step('the calendar shows its expiry', async () => {
    await joao.getByRole('link', { name: 'Ver no Calendário' }).click();
    await expect(joao.getByRole('button', { name: `${expiry.long}, 1 vencimento` })).toBeVisible();
    await expect(joao.getByRole('heading', { name: `Vencimentos em ${expiry.short}` })).toBeVisible();
    await expect(joao.getByRole('link', { name: NAME }).first()).toBeVisible();
  });

  await test.step('the client opens a ticket', async () => {
    await joao.getByRole('navigation').getByRole('link', { name: 'Tickets' }).click();
    await joao.getByRole('link', { name: 'Novo Ticket' }).first().click();
    await joao.getByLabel('Assunto').fill('Dúvida sobre a declaração');
    await joao.getByLabel('Categoria').selectOption('Faturamento');
    await joao.getByLabel('Prioridade').selectOption('Alta');
    await joao.getByLabel('Mensagem').fill('Bom dia! O valor de março está certo?');
    await joao.getByRole('button', { name: 'Enviar Ticket' }).click();
    await expect(joao.getByText('Seu ticket foi enviado com sucesso')).toBeVisible();
    await expect(joao).toHaveURL('/tickets');
    await expect(joao.getByRole('heading', { name: 'Dúvida sobre a declaração' })).toBeVisible();
    await expect(joao.getByText('Aberto', { exact: true })).toBeVisible();
  });

  await test.step('another client sees nothing of it', async () => {
    const mariana = await browser.newPage();
    await signInAsClient(mariana, MARIANA);
    for (const [path, text] of [
      ['/', 'Nenhum ticket encontrado'],
      [folder, 'Nenhum documento encontrado'],
      [address, 'Documento não encontrado'],
      ['/calendar', 'Nenhum vencimento próximo'],
      ['/tickets', 'Você ainda não possui tickets'],
    ] as const) {
      await mariana.goto(path);
      await expect(mariana.getByText(text)).toBeVisible();
      await expect(mariana.getByText(NAME)).toBeHidden();
      await expect(mariana.getByText('Dúvida sobre a declaração')).toBeHidden();
    }
  });
});

async function createClient(page: Page, { name, email, password }: typeof JOAO): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Clientes' }).click();
  // The dashboard has a link of the same name.
  await expect(page.getByRole('heading', { name: 'Gerenciar Clientes' })).toBeVisible();
  await page.getByRole('link', { name: 'Novo Cliente' }).first().click();
  await page.getByLabel('Nome Completo').fill(name);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Senha', { exact: true }).fill(password);
  await page.getByLabel('Confirmar Senha', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Criar Cliente' }).click();
  await expect(page.getByText('Cliente criado com sucesso!')).toBeVisible();
  await expect(page).toHaveURL('/admin/clients');
  await expect(page.getByRole('row', { name })).toContainText(email);
}

/** The number of colors in the preview's canvas. An empty canvas has one. */
function countColors(sheet: Locator): Promise<number> {
  return sheet.evaluate((element) => {
    const canvas = element.querySelector('canvas');
    const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data;
    return new Set(new Uint32Array(pixels?.buffer ?? new ArrayBuffer(0))).size;
  });
}

/** Replaces the print dialog, which headless browsers lack. The frame records the number of loaded pictures. */
function watchPrinting(): void {
  window.print = () => {
    const sheets = [...document.images].filter(({ naturalWidth }) => naturalWidth > 0);
    Reflect.set(window.top ?? window, 'printed', sheets.length);
  };
}

/** A day within the home page's seven days, in the office's zone and in several formats. */
function inThreeDays(): { iso: string; short: string; long: string } {
  const day = new Date(Date.now() + 3 * 24 * 60 * 60 * 1000);
  const format = (locale: string, month: '2-digit' | 'long') =>
    day.toLocaleDateString(locale, {
      day: month === 'long' ? 'numeric' : '2-digit',
      month,
      year: 'numeric',
      timeZone: 'America/Sao_Paulo',
    });
  return {
    iso: format('sv-SE', '2-digit'),
    short: format('pt-BR', '2-digit'),
    long: format('pt-BR', 'long'),
  };
}
