// The divider above the replies of a ticket that its reader has not seen.

import { expect } from '@playwright/test';

import { openSession, test } from '../../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';
import { signIn, unwrap } from '../../helpers/api.ts';
import { addTicket, addStaffReply } from '../../helpers/tickets.ts';

/** Polling interval of the page, plus time for a slow machine. */
const SOON = { timeout: 40_000 };

test('ticket › marks where the replies begin that its reader has not seen', async ({
  page,
  app,
  browser,
}) => {
  const client = await app.newClient('Wanda Peixoto');
  const id = await addTicket(app.portaria, client, {
    subject: 'Guia do mês',
    message: 'Quando sai a guia?',
  });
  await addStaffReply(app.admin, id, 'Sai amanhã.');
  await openSession(page, client);
  await page.goto(`/tickets/${id}`);
  const replies = page.getByRole('log', { name: 'Mensagens' }).getByRole('listitem');
  const divider = page.getByRole('heading', { name: 'Novas respostas' });
  await expect(replies.nth(1).locator(divider)).toBeVisible();
  // It stays when the ticket is read, and when a reply arrives on the screen.
  await expect(page.getByRole('button', { name: 'Notificações', exact: true })).toBeVisible();
  await addStaffReply(app.admin, id, 'Saiu hoje.');
  await expect(replies).toHaveCount(3, SOON);
  await expect(replies.nth(1).locator(divider)).toBeVisible();
  await expect(divider).toHaveCount(1);
  // The reply on the screen has been read.
  const asClient = await signIn(app.portaria, client);
  const unread = asClient.from('notifications').select('id').is('read_at', null);
  await expect.poll(async () => (await unwrap(unread)).length).toBe(0);
  await page.reload();
  await expect(replies).toHaveCount(3);
  await expect(page.getByRole('button', { name: 'Notificações', exact: true })).toBeVisible();
  await expect(divider).toBeHidden();
  await page.goto('/tickets');
  await addStaffReply(app.admin, id, 'Está na pasta.');
  await page.getByRole('link', { name: 'Guia do mês', exact: true }).click();
  await expect(replies.nth(3).locator(divider)).toBeVisible();
  await expect(divider).toHaveCount(1);
  await expectAccessibleInBothThemes(page);

  await page.getByLabel('Sua mensagem').fill('Obrigada.');
  await page.getByRole('button', { name: 'Enviar resposta' }).click();
  await expect(page.getByText('Resposta enviada')).toBeVisible();
  await expect(replies.nth(3).locator(divider)).toBeVisible();
  const office = await browser.newPage({ baseURL: app.portaria.url });
  await openSession(office);
  await office.goto(`/admin/tickets/${id}`);
  const answer = office.getByRole('log').getByRole('listitem').filter({ hasText: 'Obrigada.' });
  await expect(answer.getByRole('heading', { name: 'Novas respostas' })).toBeVisible();
  await office.close();
});
