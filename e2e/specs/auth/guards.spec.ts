// Access rules of the routes for guests, clients and administrators.

import { expect } from '@playwright/test';

import { submitAdminSignIn, submitClientSignIn, test } from '../../fixtures/test.ts';

const CLIENT_PAGES = [
  '/',
  '/tickets',
  '/tickets/new',
  '/documents',
  '/documents/faturas',
  '/documents/view/x',
  '/calendar',
  '/perfil',
];
const ADMIN_PAGES = [
  '/admin/dashboard',
  '/admin/clients',
  '/admin/clients/new',
  '/admin/clients/edit/x',
  '/admin/documents',
  '/admin/documents/upload',
];
const SIGN_IN_PAGES = ['/login', '/admin/login', '/recuperar-senha'];

test.describe('guest', () => {
  for (const path of [...CLIENT_PAGES, '/nenhures']) {
    test(`is redirected from ${path} to the clients' sign-in`, async ({ page }) => {
      await page.goto(path);
      await expect(page).toHaveURL('/login');
      await expect(page.getByRole('heading', { name: 'Acesso Cliente' })).toBeVisible();
    });
  }
  for (const path of [...ADMIN_PAGES, '/admin', '/admin/nenhures']) {
    test(`is redirected from ${path} to the administrators' sign-in`, async ({ page }) => {
      await page.goto(path);
      await expect(page).toHaveURL('/admin/login');
      await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible();
    });
  }
  for (const path of [...SIGN_IN_PAGES, '/atualizar-senha']) {
    test(`can open ${path}`, async ({ page }) => {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(page).toHaveURL(path);
    });
  }
});

test("client › stays in the clients' area", async ({ page, app }) => {
  await submitClientSignIn(page, await app.newClient('Clara Bittencourt'));
  for (const path of [...SIGN_IN_PAGES, ...ADMIN_PAGES, '/admin', '/nenhures', '/admin/nenhures']) {
    await page.goto(path);
    await expect(page, path).toHaveURL('/');
  }
  for (const path of CLIENT_PAGES) {
    await page.goto(path);
    await expect(page.getByRole('navigation').getByRole('link', { name: 'Início' })).toBeVisible();
    await expect(page, path).toHaveURL(path);
  }
});

test("administrator › stays in the administrators' area", async ({ page }) => {
  await submitAdminSignIn(page);
  for (const path of [...SIGN_IN_PAGES, ...CLIENT_PAGES, '/admin', '/nenhures', '/admin/nenhures']) {
    await page.goto(path);
    await expect(page, path).toHaveURL('/admin/dashboard');
  }
});

test('sign-in › leads to the requested page', async ({ page, app }) => {
  const { email, password } = await app.newClient('Davi Sobral');
  await page.goto('/calendar');
  await expect(page).toHaveURL('/login');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Senha', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(page).toHaveURL('/calendar');
});

test('sign-in › works without browser storage while the page lives', async ({ page, app }) => {
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      });
    }
  });
  const { email, password } = await app.newClient('Dora Pimentel');
  await page.goto('/tickets/new');
  await expect(page).toHaveURL('/login');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Senha', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(page).toHaveURL('/tickets/new');
  await page.getByLabel('Assunto').fill('Escrito sem memória');
  await page.getByRole('navigation').getByRole('link', { name: 'Documentos' }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Tickets' }).click();
  await page.getByRole('link', { name: 'Novo Ticket' }).click();
  await expect(page.getByLabel('Assunto')).toHaveValue('Escrito sem memória');
});

test('sign-in › a wrong password shows an error in Portuguese', async ({ page, app }) => {
  const { email } = await app.newClient('Elisa Frota');
  await page.goto('/login');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Senha', { exact: true }).fill('não é esta');
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(page.getByText('Erro de Login')).toBeVisible();
  await expect(page).toHaveURL('/login');
});
