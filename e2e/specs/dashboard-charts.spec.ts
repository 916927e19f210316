// The dashboard: its charts, and the work that waits.

import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, test } from '../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../helpers/accessibility.ts';
import { expectOk } from '../helpers/api.ts';
import { seedDocument } from '../helpers/documents.ts';
import { addTicket, addTickets } from '../helpers/tickets.ts';

const panel = (page: Page, title: string) =>
  page.locator('section', { has: page.getByRole('heading', { name: title }) });

/** The numbers of a bar list, and of the present week. */
async function readCharts(page: Page) {
  await page.goto('/admin/dashboard');
  await panel(page, 'Últimas oito semanas').getByText('Ver os números em uma tabela').click();
  const week = page
    .getByRole('region', { name: 'Documentos e aberturas por semana' })
    .getByRole('row')
    .last();
  const numberOf = async (title: string, label: string) => {
    const text = await panel(page, title).getByRole('listitem').filter({ hasText: label }).textContent();
    return Number(text?.replace(label, '').replace('.', ''));
  };
  return {
    week: (await week.getByRole('cell').allTextContents()).map(Number),
    withoutDueDate: await numberOf('À espera de abertura, pelo vencimento', 'Sem vencimento'),
    newTickets: await numberOf('Tickets não fechados, pela idade', 'Até 1 dia'),
  };
}

test('dashboard charts › count documents, openings, unopened documents and tickets', async ({
  page,
  app,
}) => {
  await signInAsAdmin(page);
  const before = await readCharts(page);
  const person = await app.newClient('Gráfica Lima');
  const opened = await seedDocument(app, person, { name: 'Aberto' });
  await seedDocument(app, person, { name: 'Fechado' });
  await expectOk(
    app.admin
      .from('document_receipts')
      .insert({ document_id: opened, action: 'opened', client_id: person.id }),
  );
  await addTicket(app.portaria, person, { subject: 'Novo' });

  const after = await readCharts(page);
  expect(after.week).toEqual([(before.week[0] ?? 0) + 2, (before.week[1] ?? 0) + 1]);
  expect(after.withoutDueDate).toBe(before.withoutDueDate + 1);
  expect(after.newTickets).toBe(before.newTickets + 1);
  await expectAccessibleInBothThemes(page);

  await page.getByRole('link', { name: /^Sem vencimento/ }).click();
  await expect(page).toHaveURL('/admin/unopened?vencimento=sem');
});

test('dashboard › leads from the first tickets to all that wait for a reply', async ({ page, app }) => {
  const person = await app.newClient('Nair das Perguntas');
  await addTickets(
    app.portaria,
    person,
    Array.from({ length: 7 }, (_, at) => ({ subject: `Pergunta ${at}` })),
  );
  await signInAsAdmin(page);
  const tickets = panel(page, 'Tickets sem resposta').last();
  await tickets.getByRole('link', { name: /^e mais \d+$/ }).click();
  await expect(page).toHaveURL('/admin/tickets?sem-resposta=1');
  await expect(page.getByRole('link', { name: /^Pergunta \d$/ })).toHaveCount(7);
});
