// Who has signed out leaves nothing behind that the browser's own way back would show.

import { expect } from '@playwright/test';

import { CHROMIUM } from '../../fixtures/chromium.ts';
import { submitClientSignIn, test } from '../../fixtures/test.ts';
import { seedDocument } from '../../helpers/documents.ts';

// People's browsers keep whole pages to go back to; the tests' own would not.
test.use({ launchOptions: { ...CHROMIUM.launch, ignoreDefaultArgs: ['--disable-back-forward-cache'] } });

test('signing out leads to the sign-in of the same area, and the way back is shut', async ({ page, app }) => {
  const client = await app.newClient('Fábio Guerra');
  await seedDocument(app, client, { name: 'Segredo do Fábio' });
  await submitClientSignIn(page, client);
  // Both the router and the browser itself have been here before.
  await page.goto('/documents/faturas');
  await page.getByRole('link', { name: 'Segredo do Fábio' }).click();
  await expect(page.getByRole('heading', { name: 'Segredo do Fábio' })).toBeVisible();
  await page.goto('/calendar');
  await page.getByRole('button', { name: /Fábio Guerra/ }).click();
  await page.getByRole('button', { name: 'Sair' }).click();
  await expect(page.getByText('Logout realizado com sucesso!')).toBeVisible();
  await expect(page).toHaveURL('/login');
  // Whatever of the account is drawn for even a moment is noticed.
  await page.addInitScript(() => {
    new MutationObserver(() => {
      if (document.body?.innerText.includes('Fábio')) document.documentElement.dataset['leak'] = 'yes';
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });
  for (let step = 0; step < 3; step += 1) {
    await page.goBack();
    await expect(page).toHaveURL('/login');
    await expect(page.getByRole('heading', { name: 'Acesso Cliente' })).toBeVisible();
    await expect(page.locator('html')).not.toHaveAttribute('data-leak');
  }
  await page.goto('/documents');
  await expect(page).toHaveURL('/login');
});

test('a page that the browser kept whole is not shown again once its person has left in another tab', async ({
  context,
  page,
  app,
}) => {
  await submitClientSignIn(page, await app.newClient('Fabíola Reis'));
  await page.goto('/documents');
  await expect(page.getByRole('link', { name: /Faturas/ })).toBeVisible();
  await page.goto('/config.json');
  const other = await context.newPage();
  await other.goto('/calendar');
  await other.getByRole('button', { name: /Fabíola Reis/ }).click();
  await other.getByRole('button', { name: 'Sair' }).click();
  await expect(other).toHaveURL('/login');
  await page.goBack();
  await expect(page).toHaveURL('/login');
  await expect(page.getByRole('heading', { name: 'Acesso Cliente' })).toBeVisible();
});
