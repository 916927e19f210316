// The texts that a screen reader reads, and the focus, when the page changes without a load.

import { expect } from '@playwright/test';

import { openSession, test } from '../../fixtures/test.ts';
import { addTicket } from '../../helpers/tickets.ts';

test('screen reader › hears the new page, the number of rows, and the row after a closed ticket', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Iolanda Prates');
  for (const subject of ['Guia de novembro', 'Nota de compra', 'Alvará vencido']) {
    await addTicket(app.portaria, client, { subject, message: 'Podem conferir, por favor?' });
  }
  await openSession(page, client);
  await page.goto('/');
  await page.getByRole('link', { name: 'Tickets', exact: true }).press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Tickets' })).toBeFocused();

  const status = (text: string) => page.getByRole('status').filter({ hasText: text });
  await page.getByPlaceholder('Buscar tickets...').pressSequentially('guia');
  await expect(status('1 item')).toHaveCount(1);
  await page.getByPlaceholder('Buscar tickets...').fill('');
  await page.getByRole('button', { name: 'Abertos' }).press('Enter');
  await expect(status('3 itens')).toHaveCount(1);

  const subjects = page.getByRole('article').getByRole('heading');
  await expect(subjects).toHaveCount(3);
  const next = (await subjects.nth(1).textContent()) ?? '';
  await page.getByRole('button', { name: `Fechar ${await subjects.first().textContent()}` }).press('Enter');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Fechar ticket' }).press('Enter');
  await expect(page.getByRole('link', { name: next, exact: true })).toBeFocused();
});
