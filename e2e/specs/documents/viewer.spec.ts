// The viewer of a document: file types, pages, metadata and missing documents.

import { buffer } from 'node:stream/consumers';

import { expect, type Locator, type Page } from '@playwright/test';
import PdfDocument from 'pdfkit';

import { openSession, signInAsClient, test } from '../../fixtures/test.ts';
import { dayFromNow, formatDay } from '../../helpers/clock.ts';
import { seedDocument } from '../../helpers/documents.ts';
import { samplePdf, SAMPLE_PDF_PAGES } from '../../helpers/pdf.ts';

const PDF = 'application/pdf';
const PDF_PASSWORD = 'segredo do João';

test('viewer › turns and zooms the pages of a PDF by mouse and keyboard', async ({ page, app }) => {
  const person = await app.newClient('Inês Duarte');
  const file = { bytes: await samplePdf(), mimeType: PDF };
  const id = await seedDocument(app, person, { name: 'Declaração', file });
  await openSession(page, person);
  await page.goto(`/documents/view/${id}`);

  await expect(page.getByText(`Página 1 de ${SAMPLE_PDF_PAGES}`, { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Próxima página' }).click();
  await expect(page.getByText(`Página 2 de ${SAMPLE_PDF_PAGES}`, { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Página anterior' }).click();
  await expect(page.getByText(`Página 1 de ${SAMPLE_PDF_PAGES}`, { exact: true })).toBeVisible();

  const sheet = page.getByRole('img', { name: 'Página 1', exact: true });
  const fittedWidth = await widthOf(sheet);
  const regionWidth = await widthOf(page.getByRole('region', { name: 'Páginas do documento' }));
  expect(fittedWidth).toBeGreaterThan(regionWidth * 0.85);
  await page.getByRole('button', { name: 'Aumentar zoom' }).click();
  await expect.poll(() => widthOf(sheet)).toBeCloseTo(fittedWidth * 1.25, 0);
  await page.getByRole('region', { name: 'Páginas do documento' }).focus();
  await page.keyboard.press('-');
  await page.keyboard.press('-');
  await expect.poll(() => widthOf(sheet)).toBeCloseTo(fittedWidth * 0.75, 0);
  await page.getByRole('button', { name: 'Ajustar à largura' }).click();
  await expect.poll(() => widthOf(sheet)).toBeCloseTo(fittedWidth, 0);
  await page.getByRole('region', { name: 'Páginas do documento' }).focus();
  await page.keyboard.press('+');
  await page.keyboard.press('0');
  await expect.poll(() => widthOf(sheet)).toBeCloseTo(fittedWidth, 0);

  // The text layer over the picture can be selected, copied and read aloud.
  const title = page.getByText('Declaração nº 3 – João da Conceição').first();
  await title.selectText();
  expect(await page.evaluate(() => String(getSelection()))).toContain('João da Conceição');
});

test('viewer › a protected PDF requires its password once and prints with it', async ({ page, app }) => {
  const person = await app.newClient('Júlio Serra');
  const id = await seedDocument(app, person, {
    name: 'Holerite',
    file: { bytes: await protectedPdf(), mimeType: PDF },
  });
  await page.addInitScript(() => {
    window.print = () => Reflect.set(window.top ?? window, 'printed', document.images.length);
  });
  await openSession(page, person);
  await page.goto(`/documents/view/${id}`);
  await expect(page.getByRole('heading', { name: 'Este documento é protegido por senha' })).toBeVisible();

  await page.getByRole('button', { name: 'Imprimir Documento' }).click();
  await expect(page.getByText('Abra o documento com a senha dele e imprima de novo.')).toBeVisible();

  const password = page.getByLabel('Senha do arquivo', { exact: true });
  await password.fill('não é esta');
  await password.press('Enter');
  await expect(password).toHaveAccessibleDescription('A senha do arquivo está incorreta.');
  await password.fill(PDF_PASSWORD);
  await expect(page.getByText('A senha do arquivo está incorreta.')).toBeHidden();
  await page.getByRole('button', { name: 'Abrir documento' }).click();
  await expect(page.getByRole('img', { name: 'Página 1', exact: true })).toBeVisible();

  await page.getByRole('button', { name: 'Imprimir Documento' }).click();
  await expect.poll(() => page.evaluate(() => Reflect.get(window, 'printed'))).toBe(1);
});

test('viewer › the shortcut for printing prints the file instead of the page', async ({ page, app }) => {
  const person = await app.newClient('Jussara Impressa');
  const id = await seedDocument(app, person, {
    name: 'Declaração de novembro',
    file: { bytes: await samplePdf(), mimeType: PDF },
  });
  await page.addInitScript(() => {
    window.print = () => Reflect.set(window.top ?? window, 'printed', document.images.length);
  });
  await openSession(page, person);
  await page.goto(`/documents/view/${id}`);
  await expect(page.getByRole('img', { name: 'Página 1', exact: true })).toBeVisible();
  await page.keyboard.press('Control+p');
  await expect.poll(() => page.evaluate(() => Reflect.get(window, 'printed'))).toBe(SAMPLE_PDF_PAGES);
});

test('viewer › shows images and texts, and explains what to do with other files', async ({ page, app }) => {
  const person = await app.newClient('Kelly Rocha');
  const image = { bytes: Buffer.from(GRAY_PIXEL, 'base64'), mimeType: 'image/png' };
  const text = { bytes: Buffer.from('Ação: recolher a guia até sexta.'), mimeType: 'text/plain' };
  const table = { bytes: Buffer.from('mês;valor\nmarço;1.200,00\n'), mimeType: 'text/csv' };
  const broken = { bytes: Buffer.from('%PDF-1.4\nisto não é um PDF\n'), mimeType: PDF };
  const ids = {
    png: await seedDocument(app, person, { name: 'Foto', type: 'png', file: image }),
    txt: await seedDocument(app, person, { name: 'Aviso', type: 'txt', file: text }),
    csv: await seedDocument(app, person, { name: 'Tabela', type: 'csv', file: table }),
    pdf: await seedDocument(app, person, { name: 'Danificado', file: broken }),
    none: await seedDocument(app, person, { name: 'À espera', status: 'pending' }),
  };
  await openSession(page, person);
  await page.goto(`/documents/view/${ids.png}`);
  await expect.poll(() => page.getByRole('img', { name: 'Foto' }).evaluate(naturalWidthOf)).toBe(1);
  await page.goto(`/documents/view/${ids.txt}`);
  await expect(page.getByText('Ação: recolher a guia até sexta.')).toBeVisible();
  await page.goto(`/documents/view/${ids.csv}`);
  const tableRegion = page.getByRole('region', { name: 'Tabela do documento' });
  await expect(tableRegion.getByRole('columnheader')).toHaveText(['mês', 'valor']);
  await expect(tableRegion.getByRole('cell')).toHaveText(['março', '1.200,00']);

  for (const [id, hint] of [
    [ids.pdf, 'O arquivo parece estar danificado.'],
    [ids.none, 'O arquivo deste documento ainda não está disponível.'],
  ] as const) {
    await page.goto(`/documents/view/${id}`);
    await expect(page.getByText('Pré-visualização indisponível')).toBeVisible();
    await expect(page.getByText(hint)).toBeVisible();
  }
  await page.getByRole('button', { name: 'Imprimir Documento' }).click();
  await expect(page.getByText('Arquivo não disponível')).toBeVisible();
});

test('viewer › shows the matching text after going back to another document', async ({ page, app }) => {
  const person = await app.newClient('Lia Textos');
  const seedText = (name: string, text: string) =>
    seedDocument(app, person, {
      name,
      type: 'txt',
      file: { bytes: Buffer.from(text), mimeType: 'text/plain' },
    });
  const first = await seedText('Primeiro', 'O texto do primeiro.');
  await seedText('Segundo', 'O texto do segundo.');
  await openSession(page, person);
  await page.goto(`/documents/view/${first}`);
  await expect(page.getByText('O texto do primeiro.')).toBeVisible();
  await page.getByRole('link', { name: 'Voltar para Faturas' }).click();
  await page.getByRole('link', { name: 'Segundo' }).click();
  await expect(page.getByText('O texto do segundo.')).toBeVisible();
  await page.evaluate(() => history.go(-2));
  await expect(page.getByRole('heading', { level: 1, name: 'Primeiro' })).toBeVisible();
  await expect(page.getByText('O texto do primeiro.')).toBeVisible();
});

test('viewer › a damaged image is not printed and leaves no frame behind', async ({ page, app }) => {
  const person = await app.newClient('Lígia Prado');
  const file = { bytes: Buffer.from(GRAY_PIXEL, 'base64').subarray(0, 40), mimeType: 'image/png' };
  const id = await seedDocument(app, person, { name: 'Foto cortada', type: 'png', file });
  await openSession(page, person);
  await page.goto(`/documents/view/${id}`);
  await page.getByRole('button', { name: 'Imprimir Documento' }).click();
  await expect(page.getByText('Não foi possível imprimir o arquivo. Tente novamente.')).toBeVisible();
  await expect(page.locator('iframe')).toHaveCount(0);
});

test('document page › shows the metadata and links to folder and calendar', async ({ page, app }) => {
  const person = await app.newClient('Laura Vidal');
  const past = dayFromNow(-2);
  const id = await seedDocument(app, person, { name: 'Guia DAS', expires: past });
  const old = await seedDocument(app, person, { name: 'Antigo', status: 'replaced' });
  const waiting = await seedDocument(app, person, { name: 'À espera', status: 'pending' });
  await openSession(page, person);
  await page.goto(`/documents/view/${id}`);
  await expect(page).toHaveTitle('Guia DAS · Portaria');
  await expectFact(page, 'Nome', 'Guia DAS');
  await expectFact(page, 'Tipo', /^PDF/);
  await expectFact(page, 'Data de Criação', formatDay(dayFromNow(0)));
  await expectFact(page, 'Data de Vencimento', `${formatDay(past)} (Vencido)`);
  await expectFact(page, 'Status', 'Ativo');
  await expect(page.getByRole('link', { name: 'Ver no Calendário' })).toHaveAttribute(
    'href',
    `/calendar?data=${past}`,
  );
  await expect(page.getByRole('link', { name: 'Faturas', exact: true })).toHaveAttribute(
    'href',
    '/documents/faturas',
  );
  await page.goto(`/documents/view/${old}`);
  await expectFact(page, 'Status', 'Inativo');
  await expectFact(page, 'Data de Vencimento', 'N/A');
  await expect(page.getByRole('link', { name: 'Ver no Calendário' })).toHaveAttribute('href', '/calendar');
  await page.goto(`/documents/view/${waiting}`);
  await expectFact(page, 'Status', 'Pendente');
  await page.getByRole('button', { name: 'Baixar Documento' }).click();
  await expect(page.getByText('O escritório ainda não liberou este arquivo.')).toBeVisible();
});

test("document page › missing and other clients' documents look alike", async ({ page, app }) => {
  const other = await seedDocument(app, await app.newClient('Mauro Brito'), { name: 'Alheio' });
  await signInAsClient(page, await app.newClient('Nara Peixoto'));
  for (const id of [other, '00000000-0000-4000-8000-000000000000', 'nenhum']) {
    await page.goto(`/documents/view/${id}`);
    await expect(page.getByRole('heading', { name: 'Documento não encontrado' })).toBeVisible();
    await expect(page.getByText('O documento solicitado não existe ou foi removido')).toBeVisible();
  }
  await page.getByRole('link', { name: 'Voltar para Documentos' }).click();
  await expect(page).toHaveURL('/documents');
});

// A gray pixel.
const GRAY_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';

async function protectedPdf(): Promise<Buffer> {
  const pdf = new PdfDocument({ size: 'A4', userPassword: PDF_PASSWORD, pdfVersion: '1.7ext3' });
  pdf.text('Somente com a senha.');
  pdf.end();
  return buffer(pdf);
}

async function expectFact(page: Page, name: string, value: string | RegExp): Promise<void> {
  const fact = page.locator('dl > div', { has: page.getByText(name, { exact: true }) });
  await expect(fact.getByRole('definition')).toHaveText(value);
}

async function widthOf(element: Locator): Promise<number> {
  return (await element.boundingBox())?.width ?? 0;
}

function naturalWidthOf(element: Element): number {
  return element instanceof HTMLImageElement ? element.naturalWidth : 0;
}
