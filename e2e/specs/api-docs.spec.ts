// API documentation of the back office.

import { expect } from '@playwright/test';

import { signInAsAdmin, signInAsClient, test } from '../fixtures/test.ts';

test('API documentation › lists both documents without foreign requests', async ({ page, baseURL }) => {
  const foreign: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && origin !== baseURL) foreign.push(request.url());
  });
  await signInAsAdmin(page);
  await page.goto('/docs');
  await expect(page.getByRole('heading', { level: 1, name: 'Documentação da API' })).toBeVisible();

  const documents = page.locator('#operations-documents-select_documents');
  await expect(documents).toContainText('Reads rows');
  await documents.click();
  await expect(documents).toContainText('expires_at');
  // The viewer draws the operations in view only.
  await expect(async () => {
    await page.mouse.wheel(0, 3000);
    await expect(page.locator('#operations-rpc-mail_status')).toBeVisible({ timeout: 500 });
  }).toPass();

  await page.getByRole('button', { name: 'Dados pessoais' }).click();
  await expect(page.locator('#operations-export-export_client')).toContainText(
    'Exports the data of a client',
  );
  await expect(documents).toHaveCount(0);
  expect(foreign).toEqual([]);
});

test('API documentation › is closed to clients', async ({ page, app }) => {
  await signInAsClient(page, await app.newClient('Otávio Sampaio'));
  await page.goto('/docs');
  await expect(page).toHaveURL('/');
});
