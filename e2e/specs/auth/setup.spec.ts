// Set-up of the first administrator in the browser.

import { expect, type Page } from '@playwright/test';

import { ADMIN, type Portaria, startPortaria } from '../../fixtures/server.ts';
import { test as base } from '../../fixtures/test.ts';

// Each test sets up a server of its own.
const test = base.extend<{ fresh: Portaria }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads what a fixture needs from this pattern.
  fresh: async ({}, provide) => {
    const portaria = await startPortaria({ empty: true });
    await provide(portaria);
    await portaria.stop();
  },
  baseURL: ({ fresh }, provide) => provide(fresh.url),
});

test('set-up › survives a reload, refuses a common password at its field, and opens the back office', async ({
  page,
  fresh,
}) => {
  const link = fresh.readSetupLink();
  const token = link.split('token=')[1] ?? '';
  await page.goto(link);
  await expect(page.getByLabel('Nome completo')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Nome completo')).toBeVisible();
  expect(page.url()).not.toContain(token);

  await submitSetup(page, 'minhasenha');
  await expect(page.getByLabel('Senha', { exact: true })).toHaveAccessibleDescription(
    /^Esta senha está entre as mais usadas/,
  );
  await expect(page.getByLabel('Senha', { exact: true })).toBeFocused();
  await submitSetup(page, ADMIN.password);
  await expect(page).toHaveURL('/admin/dashboard');
  await expect(page.getByText('Administrador criado')).toBeVisible();
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(token);
});

test('set-up › a wrong or used link says so and leads on, and a restart keeps the link', async ({
  page,
  fresh,
}) => {
  const link = fresh.readSetupLink();
  await page.goto(link.slice(0, -1));
  await expectRefusal(page);

  await fresh.stopServer();
  await fresh.startServer();
  expect(fresh.readSetupLink()).toBe(link);
  // The link is pasted into the same tab.
  await page.goto(link);
  await submitSetup(page, ADMIN.password);
  await expect(page).toHaveURL('/admin/dashboard');
  await page.evaluate(() => localStorage.clear());
  await page.goto('/login');
  await page.goto(link);
  await expectRefusal(page);
  await page.getByRole('link', { name: 'Ir para o login' }).click();
  await expect(page).toHaveURL('/admin/login');
});

test('set-up › a link that is used while its form is open says so', async ({ page, fresh }) => {
  const link = fresh.readSetupLink();
  await page.goto(link);
  await expect(page.getByLabel('Nome completo')).toBeVisible();
  await fetch(`${fresh.url}/setup`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...ADMIN, token: link.split('token=')[1] }),
  });
  await submitSetup(page, ADMIN.password);
  await expectRefusal(page);
});

async function expectRefusal(page: Page): Promise<void> {
  await expect(page.getByText('Este link de configuração já foi usado ou não vale mais.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Criar administrador' })).toBeHidden();
  await expect(page.getByRole('link', { name: 'Ir para o login' })).toBeVisible();
}

async function submitSetup(page: Page, password: string): Promise<void> {
  await page.getByLabel('Nome completo').fill('Helena Duarte');
  await page.getByLabel('E-mail').fill(ADMIN.email);
  await page.getByLabel('Senha', { exact: true }).fill(password);
  await page.getByLabel('Confirmar senha', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Criar administrador' }).click();
}
