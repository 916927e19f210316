// The command palette and the shortcuts of the back office.

import { expect, type Page } from '@playwright/test';

import { openSession, signInAsAdmin, test } from '../fixtures/test.ts';
import { expectAccessible } from '../helpers/accessibility.ts';
import { createClientWithTaxId, deletePerson } from '../helpers/clients.ts';
import { seedDocument } from '../helpers/documents.ts';
import { addTicket } from '../helpers/tickets.ts';

const palette = (page: Page) => page.getByRole('dialog', { name: 'Buscar no portal' });
const input = (page: Page) => palette(page).getByRole('combobox');
const option = (page: Page, name: string) => palette(page).getByRole('option', { name });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

async function openPalette(page: Page): Promise<void> {
  // The layout listens when its button is there.
  await expect(page.getByRole('button', { name: 'Buscar', exact: true })).toBeVisible();
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.keyboard.press('Control+k');
  await expect(input(page)).toBeFocused();
}

test('command palette › finds clients, documents, tickets and pages', async ({ page, app }) => {
  const client = await createClientWithTaxId(app, 'Íris Paleta', '52998224725');
  await seedDocument(app, client, { name: 'Certidão negativa da Íris' });
  await addTicket(app.portaria, client, { subject: 'Quando sai a declaração da Íris?' });
  await signInAsAdmin(page);
  await openPalette(page);
  await input(page).fill('iris pal');
  await expect(option(page, 'Íris Paleta')).toContainText(client.email);
  // Enter before the answer opens none of the hits of the text before.
  await input(page).fill('outra pessoa');
  await page.keyboard.press('Enter');
  await input(page).fill('529.982.247-25');
  await expect(option(page, 'Íris Paleta')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Íris Paleta')).toBeVisible();
  await expect(palette(page)).toBeHidden();

  for (const [text, name] of [
    ['iris certid', 'Certidão negativa da Íris'],
    ['declaracao ir', 'Quando sai a declaração da Íris?'],
  ] as const) {
    await page.getByRole('button', { name: 'Buscar', exact: true }).click();
    await input(page).fill(text);
    await expect(palette(page).getByRole('option')).toHaveCount(1);
    await expect(option(page, name)).toContainText('Íris Paleta');
    await option(page, name).click();
    await expect(heading(page, name)).toBeVisible();
  }

  await openPalette(page);
  await input(page).fill('templates');
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Templates de Email')).toBeVisible();
  await openPalette(page);
  await input(page).fill('nada com este nome');
  await expect(palette(page).getByRole('status')).toHaveText('Nada encontrado.');
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toBeHidden();
  await deletePerson(app, client);
});

test('command palette › says that a search failed', async ({ page, app }) => {
  await app.newClient('Olga Queda');
  await signInAsAdmin(page);
  await app.portaria.withBrokenTable('clients', async () => {
    await openPalette(page);
    await input(page).fill('olga');
    await expect(palette(page).getByRole('status')).toContainText('A busca falhou.');
  });
  await input(page).fill('olga q');
  await expect(option(page, 'Olga Queda')).toBeVisible();
});

test('shortcuts › are listed, and can be switched off and on', async ({ page, app }) => {
  await app.newClient('Téo Atalho');
  await openSession(page);
  await page.goto('/admin/clients');
  const dialog = page.getByRole('dialog', { name: 'Atalhos de teclado' });
  await page.getByRole('searchbox').fill('Téo?');
  await expect(dialog).toBeHidden();
  await page.getByRole('searchbox').fill('Téo Atalho');
  const name = page.getByRole('link', { name: 'Téo Atalho', exact: true });
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(2);
  await heading(page, 'Gerenciar Clientes').click();
  await page.keyboard.press('?');
  await dialog.getByLabel('Usar atalhos de uma tecla').uncheck();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.keyboard.press('j');
  await page.keyboard.press('?');
  await expect(name).not.toBeFocused();
  await expect(dialog).toBeHidden();
  await openPalette(page);
  await option(page, 'Atalhos de teclado').click();
  await dialog.getByLabel('Usar atalhos de uma tecla').check();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.keyboard.press('j');
  await expect(name).toBeFocused();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`command palette › has no accessibility violations in the ${colorScheme} theme`, async ({
    page,
    app,
  }) => {
    await app.newClient(`Axel ${colorScheme}`);
    await page.emulateMedia({ colorScheme });
    await signInAsAdmin(page);
    await openPalette(page);
    await input(page).fill('axel');
    await expect(option(page, `Axel ${colorScheme}`)).toBeVisible();
    await expectAccessible(page, { include: '[role=dialog]' });
    await page.keyboard.press('Escape');
    await expect(palette(page)).toBeHidden();
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Atalhos de teclado' })).toBeVisible();
    await expectAccessible(page, { include: '[role=dialog]' });
  });
}

test('command palette › opens from its button on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await signInAsAdmin(page);
  await page.getByRole('banner').getByRole('button', { name: 'Buscar', exact: true }).click();
  await expect(input(page)).toBeFocused();
});

test('command palette › keeps what is typed before it is loaded', async ({ page, app }) => {
  const client = await app.newClient('Jonas Apressado');
  const arrived = Promise.withResolvers<void>();
  await page.route('**/command-palette-*.js', async (route) => {
    await arrived.promise;
    await route.continue();
  });
  await openSession(page);
  await page.goto('/admin/clients');
  await expect(page.getByRole('button', { name: 'Buscar', exact: true })).toBeVisible();
  const box = page.getByRole('button', { name: 'Buscar', exact: true });
  await box.focus();
  await page.keyboard.press('Control+k');
  // Both letters are shortcuts of the list.
  await page.keyboard.type('jx');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('on?');
  await page.keyboard.press('Backspace');
  await expect(palette(page).getByRole('textbox')).toHaveValue('jon');
  arrived.resolve();
  await expect(input(page)).toBeFocused();
  await page.keyboard.type('as');
  await expect(input(page)).toHaveValue('jonas');
  await expect(option(page, client.name)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(palette(page)).toBeHidden();
  await expect(box).toBeFocused();
  await page.keyboard.press('Control+k');
  await expect(input(page)).toHaveValue('');
});

test('command palette › keeps the keys that are pressed before the page is loaded', async ({ page, app }) => {
  const client = await app.newClient('Marta Adiantada');
  await openSession(page);
  await page.goto('/admin/clients');
  await expect(heading(page, 'Gerenciar Clientes')).toBeVisible();
  const arrived = Promise.withResolvers<void>();
  await page.route('**/assets/*.js', async (route) => {
    await arrived.promise;
    await route.continue();
  });
  await page.reload({ waitUntil: 'commit' });
  await expect(page.getByText('Carregando…')).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('jx');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('mx');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('art');
  arrived.resolve();
  await expect(input(page)).toBeFocused();
  await expect(input(page)).toHaveValue('mart');
  await page.keyboard.type('a');
  await expect(option(page, client.name)).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toBeHidden();
  await page.keyboard.press('Control+k');
  await expect(input(page)).toHaveValue('');
});
