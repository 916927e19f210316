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

test('reply › says that it was not sent while the server is away, and is sent once afterwards', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Yara Indisponível');
  const id = await addTicket(app.portaria, client, { subject: 'Servidor em manutenção' });
  await openSession(page, client);
  await page.goto(`/tickets/${id}`);
  const text = page.getByLabel('Sua mensagem');
  await text.fill('Isto não pode sumir.');
  const api = /\/(rest|storage|auth)\/v1\//;
  await page.route(api, (route) => route.fulfill({ status: 503, json: { message: 'maintenance' } }));
  await page.getByRole('button', { name: 'Enviar resposta' }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'Não foi possível enviar a resposta.' });
  await expect(notice).toBeVisible();
  // A list that is read meanwhile fails too. The notice about the reply stays.
  const failed = page.waitForResponse((response) => response.status() === 503);
  await page.getByRole('link', { name: 'Documentos' }).click();
  await failed;
  await expect(page.getByText('Não foi possível carregar os dados do servidor.')).toBeVisible();
  await expect(notice).toBeVisible();
  await page.unroute(api);
  await page.goto(`/tickets/${id}`);
  await expect(text).toHaveValue('Isto não pode sumir.');
  await page.getByRole('button', { name: 'Enviar resposta' }).dblclick();
  await expect(page.getByText('Resposta enviada')).toBeVisible();
  const { data } = await app.admin.from('ticket_messages').select('body').eq('ticket_id', id);
  expect(data).toEqual([{ body: 'Isto não pode sumir.' }]);
});
