// Whoever comes back to a long list finds the place that they left.

import { expect, type Locator, type Page } from '@playwright/test';

import { submitClientSignIn, test } from '../../fixtures/test.ts';
import { seedDocuments } from '../../helpers/documents.ts';
import { addTickets } from '../../helpers/tickets.ts';

test('coming back to a long list of tickets leads to the same place', async ({ page, app }) => {
  const person = await app.newClient('Olavo Quirino');
  const tickets = Array.from({ length: 300 }, (_, at) => ({
    subject: `Assunto ${at}`,
    // Cards of different heights.
    message: 'Uma mensagem que às vezes cabe em uma linha. '.repeat(1 + (at % 3)),
  }));
  await addTickets(app.portaria, person, tickets);
  await submitClientSignIn(page, person);
  await page.goto('/tickets');
  const cards = page.getByRole('article');
  const card = await scrollTo(page, cards, 130);
  await card.getByRole('link', { name: 'Ver detalhes' }).click();
  await expect(page.getByRole('log', { name: 'Mensagens' })).toBeVisible();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
  await page.goBack();
  await expect(card).toBeInViewport();
});

test('coming back to a long folder leads to the same place', async ({ page, app }) => {
  const person = await app.newClient('Pilar Rezende');
  await seedDocuments(
    app,
    person,
    Array.from({ length: 300 }, (_, at) => `Comprovante de pagamento ${at} ${'longo '.repeat((at % 4) * 4)}`),
  );
  await submitClientSignIn(page, person);
  await page.goto('/documents/contratos');
  const card = await scrollTo(page, page.getByRole('main').getByRole('listitem'), 130);
  await card.getByRole('link').click();
  await expect(page.getByRole('heading', { name: 'Informações' })).toBeVisible();
  await page.goBack();
  await expect(card).toBeInViewport();
});

/** Scrolls as a person does, page after page; gives the row under its own words, which outlive its place in the list. */
async function scrollTo(page: Page, rows: Locator, at: number): Promise<Locator> {
  await expect(rows.first()).toBeVisible();
  await expect
    .poll(async () => {
      await rows.last().scrollIntoViewIfNeeded();
      return rows.count();
    })
    .toBeGreaterThan(at);
  const row = rows.nth(at);
  await row.scrollIntoViewIfNeeded();
  // What is out of sight has no layout, and so no words yet.
  await expect(row).toHaveText(/\S/, { useInnerText: true });
  const words = (await row.innerText()).split('\n')[0] ?? '';
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(1_000);
  return rows.filter({ has: page.getByText(words, { exact: true }) });
}
