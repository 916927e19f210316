// After sign-out, the browser's history must not show the account's pages.

import { expect } from '@playwright/test';

import { CHROMIUM } from '../../fixtures/chromium.ts';
import { submitClientSignIn, test } from '../../fixtures/test.ts';
import { seedDocument } from '../../helpers/documents.ts';

// Browsers keep whole pages for going back (bfcache). Playwright disables it by default.
test.use({ launchOptions: { ...CHROMIUM.launch, ignoreDefaultArgs: ['--disable-back-forward-cache'] } });

test('sign-out › leads to the sign-in of its area, and going back shows no page of the account', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Fábio Guerra');
  await seedDocument(app, client, { name: 'Segredo do Fábio' });
  await submitClientSignIn(page, client);
  // Entries of both the router and the browser are in the history.
  await page.goto('/documents/faturas');
  await page.getByRole('link', { name: 'Segredo do Fábio' }).click();
  await expect(page.getByRole('heading', { name: 'Segredo do Fábio' })).toBeVisible();
  await page.goto('/calendar');
  await page.getByRole('button', { name: /Fábio Guerra/ }).click();
  await page.getByRole('button', { name: 'Sair' }).click();
  await expect(page.getByText('Logout realizado com sucesso!')).toBeVisible();
  await expect(page).toHaveURL('/login');
  // Detects text of the account that appears even for a moment.
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

test('sign-out › in another tab invalidates pages in the bfcache', async ({ context, page, app }) => {
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
