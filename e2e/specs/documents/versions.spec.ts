// Versions of a document: an earlier file is restored, and the client sees the present one.

import { expect } from '@playwright/test';

import { ADMIN } from '../../fixtures/server.ts';
import { signInAsAdmin, signInAsClient, test } from '../../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';
import { unwrap } from '../../helpers/api.ts';
import { seedDocument } from '../../helpers/documents.ts';
import { pdfWithText } from '../../helpers/pdf.ts';
import { pdfFile } from '../../helpers/upload.ts';

const PAYMENT_LINE = '846700000017435900240209024050002435842210108119';

test('versions › a replaced file is downloaded, restored and removed', async ({ page, app, browser }) => {
  const person = await app.newClient('Mercado das Versões Ltda');
  const id = await seedDocument(app, person, {
    name: 'Contrato com versões',
    file: { bytes: await pdfWithText('Texto de antes'), mimeType: 'application/pdf' },
    paymentLine: PAYMENT_LINE,
  });
  const paymentLine = async () =>
    (await unwrap(app.admin.from('documents').select('payment_line').eq('id', id).single())).payment_line;
  await signInAsAdmin(page);
  await page.goto(`/admin/documents/view/${id}`);
  await expect(page.getByText('Texto de antes')).toBeVisible();
  const versions = page.getByRole('list', { name: 'Versões' });
  await expect(versions).toBeHidden();
  await page
    .getByLabel('Novo arquivo')
    .setInputFiles(pdfFile('depois.pdf', await pdfWithText('Texto de agora')));
  await expect(page.getByLabel(/^Apagar o valor e os códigos/)).toBeChecked();
  await page.getByRole('button', { name: 'Substituir' }).click();
  await expect(page.getByText('Arquivo substituído com sucesso!')).toBeVisible();
  expect(await paymentLine()).toBeNull();
  await expect(page.getByText('Texto de agora')).toBeVisible();
  await expect(versions.getByRole('listitem')).toHaveCount(1);
  await expect(versions).toContainText(`por ${ADMIN.email}`);
  await expect(versions).toContainText(/SHA-256: [0-9a-f]{64}/);
  await expectAccessibleInBothThemes(page);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);

  const download = page.waitForEvent('download');
  await versions.getByRole('button', { name: 'Baixar' }).click();
  expect((await download).suggestedFilename()).toBe('Contrato com versões.pdf');

  await versions.getByRole('button', { name: 'Restaurar' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restaurar' }).click();
  await expect(page.getByText('Versão restaurada')).toBeVisible();
  expect(await paymentLine()).toBe(PAYMENT_LINE);
  await expect(page.getByText('Texto de antes')).toBeVisible();
  await expect(versions.getByRole('listitem')).toHaveCount(1);
  await expect(versions).toContainText('depois.pdf');
  await expect(page.getByRole('list', { name: 'Linha do tempo' })).toContainText('Arquivo substituído');

  const guest = await browser.newContext({ baseURL: app.portaria.url });
  const client = await guest.newPage();
  await signInAsClient(client, person);
  await client.goto(`/documents/view/${id}`);
  await expect(client.getByText('Texto de antes')).toBeVisible();
  await expect(client.getByText('Versões', { exact: true })).toBeHidden();
  await guest.close();

  await versions.getByRole('button', { name: 'Apagar' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Apagar' }).click();
  await expect(page.getByText('Versão apagada')).toBeVisible();
  await expect(versions).toBeHidden();
  expect(await unwrap(app.admin.from('document_versions').select('id').eq('document_id', id))).toEqual([]);
});
