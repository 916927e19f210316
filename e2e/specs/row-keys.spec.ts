// Keys that act on the row with the focus: in the ticket queue, the list of clients, and the documents not opened.

import { expect, type Page } from '@playwright/test';

import { openSession, test } from '../fixtures/test.ts';
import { unwrap } from '../helpers/api.ts';
import { seedDocument } from '../helpers/documents.ts';
import { addTickets } from '../helpers/tickets.ts';

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const row = (page: Page, name: string) => page.getByRole('row').filter({ has: link(page, name) });

test('row keys › a ticket is taken, closed and answered from the queue, but not while a person types', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Teclado e Filhos');
  const subjects = ['Fila um', 'Fila dois', 'Fila três'];
  const [first] = await addTickets(
    app.portaria,
    person,
    subjects.map((subject) => ({ subject })),
  );
  const ticketOf = async () =>
    unwrap(
      app.admin
        .from('tickets')
        .select('status,assignee_id')
        .eq('id', first ?? '')
        .single(),
    );
  await openSession(page);
  await page.goto('/admin/tickets?busca=Fila&ordem=assunto');
  await expect(page.getByRole('row').filter({ hasText: 'Fila' })).toHaveCount(3);
  // Without a row, and in a field, the keys do nothing.
  await page.keyboard.press('e');
  await page.getByRole('searchbox').focus();
  await page.keyboard.press('End');
  await page.keyboard.type(' a');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await expect(page.getByRole('alertdialog')).toBeHidden();
  expect(await ticketOf()).toEqual({ status: 'open', assignee_id: null });

  await link(page, 'Fila um').focus();
  await page.keyboard.press('a');
  await expect(row(page, 'Fila um')).not.toContainText('Ninguém');
  await expect.poll(async () => (await ticketOf()).assignee_id).not.toBeNull();

  await link(page, 'Fila um').focus();
  await page.keyboard.press('e');
  const dialog = page.getByRole('alertdialog', { name: 'Fechar ticket' });
  await expect(dialog).toContainText('Fila um');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  expect((await ticketOf()).status).toBe('open');
  await link(page, 'Fila um').focus();
  await page.keyboard.press('e');
  await dialog.getByRole('button', { name: 'Fechar ticket' }).click();
  await expect(dialog).toBeHidden();
  await expect(link(page, 'Fila um')).toBeHidden();
  await expect.poll(async () => (await ticketOf()).status).toBe('closed');

  // The keys go on with the rows that are left.
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('j');
  await expect(page.locator('[data-row] a:focus')).toHaveText(/Fila (dois|três)/);
  await page.keyboard.press('r');
  await expect(page).toHaveURL(/\/admin\/tickets\/[\da-f-]{36}$/);
  await expect(page.getByLabel('Sua resposta')).toBeFocused();
});

test('row keys › edit a client, move through the documents not opened, and are listed', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Atalho Contabilidade');
  await seedDocument(app, person, { name: 'Balanço do atalho', expires: '2030-01-10' });
  await seedDocument(app, person, { name: 'Razão do atalho', expires: '2030-01-11' });
  await openSession(page);
  await page.goto('/admin/clients?busca=Atalho');
  await expect(row(page, 'Atalho Contabilidade')).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('e');
  await expect(page).toHaveURL(new RegExp(`/admin/clients/edit/${person.id}`));

  await page.goto(`/admin/unopened?cliente=${person.id}`);
  await expect(link(page, 'Balanço do atalho')).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect(link(page, 'Razão do atalho')).toBeFocused();
  await page.keyboard.press('x');
  await expect(page.getByRole('checkbox', { name: /Selecionar Razão do atalho/ })).toBeChecked();
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Balanço do atalho' })).toBeVisible();

  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Atalhos de teclado' });
  for (const action of ['Tickets: responder à linha', 'Tickets: assumir a linha']) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- two lines of one dialog.
    await expect(help.getByText(action)).toBeVisible();
  }
});
