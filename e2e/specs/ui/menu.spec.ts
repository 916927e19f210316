// Menus: keys, disabled items, links, check boxes and choices.

import { expect, type Page } from '@playwright/test';

import { piece, test } from '../../fixtures/gallery.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';

const trigger = (page: Page, name: string) => piece(page, 'menu').getByRole('button', { name });
const chosen = (page: Page) => piece(page, 'menu').getByText(/^Escolhido: /);

test('menu › arrows, ends and letters move, Enter chooses, and the focus returns', async ({ page }) => {
  const button = trigger(page, 'Ações do documento');
  await button.press('Enter');
  const item = (name: string) => page.getByRole('menuitem', { name });
  await expect(item('Editar')).toBeFocused();
  await page.keyboard.press('End');
  await expect(item('Excluir')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(item('Editar')).toBeFocused();
  await page.keyboard.press('h');
  await expect(item('Histórico')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menu')).toBeHidden();
  await expect(chosen(page)).toHaveText('Escolhido: excluir');
  await expect(button).toBeFocused();
});

test('menu › Escape closes it without a choice', async ({ page }) => {
  const button = trigger(page, 'Ações do documento');
  await button.click();
  await expect(button).toHaveAttribute('aria-expanded', 'true');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toBeHidden();
  await expect(button).toBeFocused();
  await expect(chosen(page)).toHaveText('Escolhido: nada');
});

test('menu › a disabled item does nothing, and a link leads to its address', async ({ page }) => {
  await trigger(page, 'Ações do documento').click();
  const remind = page.getByRole('menuitem', { name: 'Lembrar' });
  await expect(remind).toBeDisabled();
  await remind.dispatchEvent('click');
  await expect(page.getByRole('menu')).toBeVisible();
  await page.getByRole('menuitem', { name: 'Histórico' }).click();
  await expect(page).toHaveURL('/#menu');
  await expect(page.getByRole('menu')).toBeHidden();
  await expect(chosen(page)).toHaveText('Escolhido: nada');
});

test('menu › check boxes and choices are switched while it stays open', async ({ page }) => {
  await trigger(page, 'Exibição').click();
  const columns = page.getByRole('group', { name: 'Colunas' });
  const size = columns.getByRole('menuitemcheckbox', { name: 'Tamanho' });
  await expect(columns.getByRole('menuitemcheckbox', { name: /^Vencimento/ })).toBeChecked();
  await size.click();
  await expect(size).toBeChecked();
  const heights = page.getByRole('group', { name: 'Altura das linhas' });
  await heights.getByRole('menuitemradio', { name: 'Compacta' }).press('Enter');
  await expect(heights.getByRole('menuitemradio', { checked: true })).toHaveText(['Compacta']);
});

test('menu › its items have room for a finger and no violation', async ({ page }) => {
  for (const name of ['Ações do documento', 'Exibição']) {
    await trigger(page, name).click();
    for (const item of await page.getByRole('menu').locator('[role^=menuitem]').all()) {
      expect((await item.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
    await expectAccessibleInBothThemes(page, { include: '[role=menu]' });
    await page.keyboard.press('Escape');
    await expect(page.getByRole('menu')).toBeHidden();
  }
});
