// The timeline of a document, the proof of delivery as a PDF, and the public page that confirms it.

import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

import { expect } from '@playwright/test';

import { signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';
import { expectOk, signIn } from '../../helpers/api.ts';
import { seedDocument } from '../../helpers/documents.ts';
import { readPdfText } from '../../helpers/pdf.ts';

test('proof › is issued for an opened document and confirmed by anybody who holds it', async ({
  page,
  app,
  browser,
}, testInfo) => {
  const person = await app.newClient('Conceição Comprovada');
  const id = await seedDocument(app, person, { name: 'DAS – outubro de 2026' });
  const client = await signIn(app.portaria, person);
  await expectOk(client.from('document_receipts').insert({ document_id: id, action: 'opened' }));

  await signInAsAdmin(page);
  await page.goto(`/admin/documents/view/${id}`);
  const timeline = page.getByRole('list', { name: 'Linha do tempo' });
  await expect(timeline.getByRole('listitem')).toHaveCount(3);
  await expect(timeline).toContainText('Publicado para o cliente');
  await expect(timeline).toContainText('Aberto pelo cliente');
  await expect(timeline).toContainText('Conceição Comprovada');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Comprovante de entrega' }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe('Comprovante de entrega – DAS – outubro de 2026.pdf');
  const pdf = testInfo.outputPath('comprovante.pdf');
  await saved.saveAs(pdf);

  const text = await readPdfText(pdf);
  expect(text).toContain('Comprovante de entrega');
  expect(text).toContain('DAS – outubro de 2026');
  expect(text).toContain('Conceição Comprovada');
  expect(text).toMatch(/Aberto pelo cliente em \d\d\/\d\d\/\d{4} às \d\d:\d\d:\d\d \(UTC-03:00\)/);
  const address = /Confira em (\S+)/.exec(text)?.[1] ?? '';
  expect(new URL(address).origin).toBe(app.portaria.url);

  const context = await browser.newContext();
  const visitor = await context.newPage();
  await visitor.goto(address);
  await expect(visitor.getByText('Os registros conferem com o histórico do portal.')).toBeVisible();
  await expect(visitor.locator('body')).not.toContainText('Conceição');
  await expect(visitor.locator('body')).not.toContainText('DAS');
  await expectAccessibleInBothThemes(visitor);
  const compare = visitor.getByLabel('Você tem o PDF?');
  await compare.setInputFiles(pdf);
  await expect(visitor.getByText('O PDF é o comprovante emitido, sem nenhuma mudança.')).toBeVisible();
  const bytes = await readFile(pdf);
  const changed = testInfo.outputPath('mudado.pdf');
  await writeFile(changed, Buffer.concat([bytes, Buffer.from(' ')]));
  await compare.setInputFiles(changed);
  await expect(visitor.getByText('O PDF não é o comprovante emitido com este código.')).toBeVisible();
  await expect(visitor.getByText(createHash('sha256').update(bytes).digest('hex'))).toHaveCount(0);
  await visitor.goto('/verificar/aaaa-bbbb-cccc-dddd');
  await expect(visitor.getByText('Nenhum comprovante tem este código.')).toBeVisible();
  await context.close();
});
