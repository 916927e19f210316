// Buttons, groups of them, and filter chips.

import { expect } from '@playwright/test';

import { piece, test } from '../../fixtures/gallery.ts';

test('button › keeps its focus while pending, and ignores clicks and keys', async ({ page }) => {
  const section = piece(page, 'button');
  const button = section.getByRole('button', { name: 'Enviar' });
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(button).toHaveAttribute('aria-busy', 'true');
  await expect(button).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  await button.dispatchEvent('click');
  await expect(section.getByText('Envios: 1')).toBeVisible();
});

test('button › keeps its width and its name while pending', async ({ page }) => {
  const section = piece(page, 'button');
  const buttons = [
    section.getByRole('button', { name: 'Enviar' }),
    section.getByRole('button', { name: 'Examinar de novo' }),
  ];
  const widths = () => Promise.all(buttons.map(async (button) => (await button.boundingBox())?.width));
  const before = await widths();
  await buttons[0]?.click();
  for (const button of buttons) await expect(button).toHaveAttribute('aria-busy', 'true');
  expect(await widths()).toEqual(before);
});

test('icon button › has a name and a tooltip, and is reached but not pressed while disabled', async ({
  page,
}) => {
  const section = piece(page, 'icon-button');
  const edit = section.getByRole('button', { name: 'Editar a linha' });
  const remove = section.getByRole('button', { name: 'Apagar a linha' });
  await expect(edit).toHaveAttribute('title', 'Editar a linha');
  await edit.focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await expect(remove).toBeFocused();
  await expect(remove).toBeDisabled();
  await page.keyboard.press('Enter');
  await expect(section.getByText('Cliques: 1')).toBeVisible();
});

test('toggle group › one button is pressed, and keys move and press', async ({ page }) => {
  const group = piece(page, 'toggle-group').getByRole('group', { name: 'Filtrar por status' });
  const all = group.getByRole('button', { name: 'Todos' });
  const open = group.getByRole('button', { name: 'Abertos' });
  await all.focus();
  await page.keyboard.press('Tab');
  await expect(open).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(group.getByRole('button', { pressed: true })).toHaveText(['Abertos']);
  const own = piece(page, 'toggle-group').getByRole('button', { name: 'Só os meus' });
  await own.press('Space');
  await expect(own).toHaveAttribute('aria-pressed', 'true');
  await own.press('Space');
  await expect(own).toHaveAttribute('aria-pressed', 'false');
});

test('filter chip › names its filter and value, and all are cleared at once', async ({ page }) => {
  const bar = piece(page, 'filter-chip').getByRole('group', { name: 'Filtros' }).first();
  const status = bar.getByRole('combobox', { name: 'Situação' });
  await status.focus();
  await page.keyboard.press('a');
  await expect(status).toHaveValue('open');
  await expect(bar.getByText('Situação: Abertos')).toBeVisible();
  const unanswered = bar.getByRole('button', { name: 'Sem resposta 1.234' });
  await unanswered.press('Enter');
  await expect(bar.getByRole('button', { pressed: true })).toHaveCount(2);
  await bar.getByRole('button', { name: 'Limpar filtros' }).click();
  await expect(bar.getByRole('button', { pressed: true })).toHaveCount(0);
  await expect(status).toHaveValue('');
});
