// The personal link of a document: staff create and revoke it, its recipient opens the document on a phone.

import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';
import { createClientWithTaxId } from '../../helpers/clients.ts';
import { dayFromNow } from '../../helpers/clock.ts';
import { seedDocument } from '../../helpers/documents.ts';
import { findMail } from '../../helpers/mail-links.ts';
import { samplePdf } from '../../helpers/pdf.ts';

const LINE = '846700000017435900240209024050002435842210108119';
const PIX =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';

/** Creates a link on the document's page, and returns its address. */
async function createLink(page: Page, documentId: string): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`/admin/documents/view/${documentId}`);
  await page.getByRole('button', { name: 'Criar link pessoal' }).click();
  await page.getByRole('button', { name: 'Copiar link' }).click();
  await expect(page.getByText('Link copiado')).toBeVisible();
  return page.evaluate(() => navigator.clipboard.readText());
}

test('personal link › opens one document on a phone, counts in the proof and is revoked', async ({
  page,
  app,
  browser,
}) => {
  const person = await createClientWithTaxId(app, 'Padaria Conceição & Filhos Ltda', '31784650000107');
  const id = await seedDocument(app, person, {
    name: 'DAS – novembro de 2026',
    expires: dayFromNow(3),
    paymentLine: LINE,
    pixCode: PIX,
    file: { bytes: await samplePdf(), mimeType: 'application/pdf' },
  });
  await signInAsAdmin(page);
  const address = await createLink(page, id);
  expect(address).toMatch(new RegExp(`^${app.portaria.url}/d/[0-9a-f]{32}$`));

  const phone = await browser.newContext({
    viewport: { width: 390, height: 844 },
    permissions: ['clipboard-read', 'clipboard-write'],
    acceptDownloads: true,
  });
  const visitor = await phone.newPage();
  const response = await visitor.goto(address);
  expect(response?.headers()).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'none',
  });
  await expect(visitor.getByRole('heading', { name: 'Abrir documento' })).toBeVisible();
  for (const hidden of ['DAS', 'Conceição', 'novembro'])
    await expect(visitor.locator('body')).not.toContainText(hidden);
  await expectAccessibleInBothThemes(visitor);
  const answer = visitor.getByRole('textbox', { name: '4 últimos números do CPF ou CNPJ' });
  const submit = visitor.getByRole('button', { name: 'Abrir documento' });
  await answer.fill('12');
  await submit.click();
  await expect(visitor.getByText('Digite 4 números.')).toBeVisible();
  await answer.fill('0000');
  await submit.click();
  await expect(visitor.getByText('Não confere. 4 tentativas até o link ser bloqueado.')).toBeVisible();
  await answer.fill('0107');
  await submit.click();

  await expect(visitor.getByRole('heading', { name: 'DAS – novembro de 2026' })).toBeVisible();
  await expect(visitor.getByText('R$ 143,59')).toBeVisible();
  await visitor.getByRole('button', { name: 'Copiar código de barras' }).click();
  expect(await visitor.evaluate(() => navigator.clipboard.readText())).toBe(LINE);
  await visitor.getByRole('button', { name: 'Copiar Pix' }).click();
  await expect(visitor.getByText('Pix copiado')).toBeVisible();
  await expect(visitor.locator('canvas').first()).toBeVisible();
  const download = visitor.waitForEvent('download');
  await visitor.getByRole('button', { name: 'Baixar' }).click();
  expect((await download).suggestedFilename()).toBe('DAS – novembro de 2026.pdf');
  await expectAccessibleInBothThemes(visitor);

  await page.reload();
  await expect(page.getByRole('list', { name: 'Linha do tempo' })).toContainText('Aberto pelo link pessoal');
  await expect(page.getByText(/^Aberto pelo link pessoal em /)).toHaveCount(1);
  const links = page.getByRole('list', { name: 'Links pessoais' });
  await expect(links).toContainText('Ativo');
  await links.getByRole('button', { name: 'Revogar' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revogar' }).click();
  await expect(links).toContainText('Revogado');
  await visitor.reload();
  await expect(visitor.getByRole('heading', { name: 'Este link foi cancelado' })).toBeVisible();
  await expect(visitor.getByRole('link', { name: 'Entrar no portal' })).toBeVisible();
  await phone.close();
});

test('personal link › is locked after five wrong answers, and staff see it', async ({
  page,
  app,
  browser,
}) => {
  const person = await createClientWithTaxId(app, 'Oficina Errante', '60291387000104');
  const id = await seedDocument(app, person, { name: 'Guia de Oficina Errante' });
  await signInAsAdmin(page);
  const address = await createLink(page, id);
  const context = await browser.newContext();
  const visitor = await context.newPage();
  await visitor.goto(address);
  for (const left of ['4 tentativas', '3 tentativas', '2 tentativas', '1 tentativa']) {
    await visitor.getByRole('textbox').fill('9999');
    await visitor.getByRole('button', { name: 'Abrir documento' }).click();
    await expect(visitor.getByText(`Não confere. ${left} até o link ser bloqueado.`)).toBeVisible();
  }
  await visitor.getByRole('textbox').fill('9999');
  await visitor.getByRole('button', { name: 'Abrir documento' }).click();
  await expect(visitor.getByRole('heading', { name: 'Link bloqueado' })).toBeVisible();
  await visitor.goto(`${address.slice(0, -4)}0000`);
  await expect(visitor.getByRole('heading', { name: 'Link não encontrado' })).toBeVisible();
  await context.close();
  await page.reload();
  await expect(page.getByRole('list', { name: 'Links pessoais' })).toContainText(
    'Bloqueado por respostas erradas',
  );
});

test('personal link › without a tax id asks for a mailed code', async ({ page, app, browser }) => {
  const person = await app.newClient('Sem Cadastro');
  const id = await seedDocument(app, person, { name: 'Guia de Sem Cadastro' });
  await signInAsAdmin(page);
  const address = await createLink(page, id);
  const context = await browser.newContext();
  const visitor = await context.newPage();
  await visitor.goto(address);
  await visitor.getByRole('button', { name: 'Enviar código por e-mail' }).click();
  const field = visitor.getByRole('textbox', { name: 'Código de 6 dígitos' });
  await expect(field).toBeVisible();
  await field.fill((await findMail(app.portaria, 'document_code', person.email)).code);
  await visitor.getByRole('button', { name: 'Abrir documento' }).click();
  await expect(visitor.getByRole('heading', { name: 'Guia de Sem Cadastro' })).toBeVisible();
  await context.close();
});
