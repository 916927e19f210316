// Dialogs and confirmations: focus, keys, clicks outside, bottom sheets.

import { expect, type Page } from '@playwright/test';

import { piece, test } from '../../fixtures/gallery.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';

const opener = (page: Page, section: string, name: string) =>
  piece(page, section).getByRole('button', { name });

/** Where the backdrop is on any screen. */
const OUTSIDE = { x: 5, y: 5 };

test('dialog › has a name and a description, and keeps the focus until Escape returns it', async ({
  page,
}) => {
  const button = opener(page, 'dialog', 'Renomear a pasta');
  await button.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Renomear pasta' });
  await expect(dialog).toHaveAccessibleDescription('Os clientes veem o nome novo.');
  const close = dialog.getByRole('button', { name: 'Fechar janela' });
  const field = dialog.getByLabel('Nome da pasta');
  await expect(close).toBeFocused();
  for (const next of [field, dialog.getByRole('button', { name: 'Concluir' }), close]) {
    await page.keyboard.press('Tab');
    await expect(next).toBeFocused();
  }
  await page.keyboard.press('Shift+Tab');
  await expect(dialog.getByRole('button', { name: 'Concluir' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(button).toBeFocused();
});

test('dialog › its button and a click outside close it', async ({ page }) => {
  const dialog = page.getByRole('dialog');
  for (const close of [
    () => dialog.getByRole('button', { name: 'Fechar janela' }).click(),
    () => page.mouse.click(OUTSIDE.x, OUTSIDE.y),
  ]) {
    await opener(page, 'dialog', 'Renomear a pasta').click();
    await expect(dialog).toBeVisible();
    await close();
    await expect(dialog).toBeHidden();
    await expect(opener(page, 'dialog', 'Renomear a pasta')).toBeFocused();
  }
});

test('dialog › stays open at the second click of a double click on its opener', async ({ page }) => {
  await opener(page, 'dialog', 'Renomear a pasta').dblclick();
  await expect(page.getByRole('dialog')).toHaveCSS('opacity', '1');
  await page.mouse.click(OUTSIDE.x, OUTSIDE.y);
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('dialog › on a phone is a sheet whose buttons stay in view below a long content', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 600 });
  await opener(page, 'dialog', 'Ler os termos').click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Concluir' })).toBeInViewport({ ratio: 1 });
  await expect(dialog.getByText('Cláusula 30:')).not.toBeInViewport();
  await dialog.getByText('Cláusula 30:').scrollIntoViewIfNeeded();
  await expect(dialog.getByRole('button', { name: 'Concluir' })).toBeInViewport({ ratio: 1 });
  const box = await dialog.boundingBox();
  expect(box && { x: box.x, width: box.width, bottom: box.y + box.height }).toEqual({
    x: 0,
    width: 390,
    bottom: 600,
  });
  // The page behind it does not scroll.
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)).toBe('hidden');
});

test('dialog › has no violation', async ({ page }) => {
  await opener(page, 'dialog', 'Renomear a pasta').click();
  await expectAccessibleInBothThemes(page, { include: '[role=dialog]' });
});

test('confirmation › Escape cancels it, and a click outside does not', async ({ page }) => {
  const button = opener(page, 'confirm-dialog', 'Encerrar o acesso');
  await button.click();
  const dialog = page.getByRole('alertdialog', { name: 'Sair dos outros dispositivos?' });
  await expect(dialog).toHaveAccessibleDescription('Os outros aparelhos pedem a senha de novo.');
  // A hasty Enter confirms nothing.
  await expect(dialog.getByRole('button', { name: 'Cancelar' })).toBeFocused();
  await page.mouse.click(OUTSIDE.x, OUTSIDE.y);
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(button).toBeFocused();
  await expect(piece(page, 'confirm-dialog').getByText('Confirmado: 0')).toHaveCount(3);
});

test('confirmation › a double click confirms once', async ({ page }) => {
  await opener(page, 'confirm-dialog', 'Excluir o cliente').click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByRole('button', { name: 'Excluir definitivamente' }).dblclick();
  await expect(dialog).toBeHidden();
  await expect(piece(page, 'confirm-dialog').getByText('Confirmado: 1')).toHaveCount(1);
});

test('confirmation › stays while its action is pending', async ({ page }) => {
  await opener(page, 'confirm-dialog', 'Publicar tudo').click();
  const dialog = page.getByRole('alertdialog');
  const confirm = dialog.getByRole('button', { name: 'Publicar' });
  await confirm.click();
  await expect(confirm).toHaveAttribute('aria-busy', 'true');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Cancelar' })).toBeDisabled();
  await expectAccessibleInBothThemes(page, { include: '[role=alertdialog]' });
});
