// Scroll position of long lists after going back.

import { expect, type Locator, type Page } from '@playwright/test';

import { submitClientSignIn, test } from '../../fixtures/test.ts';
import { seedDocuments } from '../../helpers/documents.ts';
import { addTickets } from '../../helpers/tickets.ts';

test('ticket list › going back restores the scroll position', async ({ page, app }) => {
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

test('folder › going back restores the scroll position', async ({ page, app }) => {
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

test('page › opened by its address begins at its top', async ({ page, app }) => {
  const person = await app.newClient('Quitéria Topo');
  await addTickets(
    app.portaria,
    person,
    Array.from({ length: 60 }, (_, at) => ({ subject: `Assunto ${at}` })),
  );
  await submitClientSignIn(page, person);
  await page.goto('/tickets');
  await scrollTo(page, page.getByRole('article'), 30);
  // As by the link of a mail, which opens in the tab.
  await page.goto('/perfil');
  await expect(page.getByRole('heading', { name: 'Avisos por e-mail' })).toBeVisible();
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

/** Loads the list page by page up to a row. Returns a locator by the row's text, since its index can change. */
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
  // Content outside the viewport has no layout and no text yet.
  await expect(row).toHaveText(/\S/, { useInnerText: true });
  const text = (await row.innerText()).split('\n')[0] ?? '';
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(1_000);
  return rows.filter({ has: page.getByText(text, { exact: true }) });
}
