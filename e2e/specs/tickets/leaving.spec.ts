// Leaving the page of a ticket.

import { expect } from '@playwright/test';

import { holdRequest, openSession, test } from '../../fixtures/test.ts';
import { samplePdf } from '../../helpers/pdf.ts';
import { addTicket } from '../../helpers/tickets.ts';

test('ticket › asks before an attachment on its way is interrupted', async ({ page, app }) => {
  const client = await app.newClient('Xênia Corrida');
  const id = await addTicket(app.portaria, client, { subject: 'Foto do recibo' });
  await openSession(page, client);
  await page.goto(`/tickets/${id}`);
  const upload = await holdRequest(page, /\/storage\/v1\/object\//, 'POST');
  const file = { name: 'recibo.pdf', mimeType: 'application/pdf', buffer: await samplePdf() };
  await page.getByLabel('Anexar arquivos').setInputFiles(file);
  await upload.started;
  await expect(page.getByRole('progressbar', { name: 'Enviando recibo.pdf' })).toBeVisible();
  await page.getByRole('link', { name: 'Voltar para Tickets' }).click();
  const question = page.getByRole('alertdialog', { name: 'Interromper o envio?' });
  await question.getByRole('button', { name: 'Continuar enviando' }).click();
  await expect(page).toHaveURL(`/tickets/${id}`);
  await page.getByRole('link', { name: 'Voltar para Tickets' }).click();
  await question.getByRole('button', { name: 'Sair e interromper' }).click();
  await expect(page).toHaveURL('/tickets');
  upload.release();
});
