// The select with a text search.

import { expect, type Page } from '@playwright/test';

import { piece, test } from '../../fixtures/gallery.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';

/** The options of the open list. */
const options = (page: Page) => page.getByRole('listbox').getByRole('option');

test('combobox › finds labels and hints without accents and case, and Enter selects', async ({ page }) => {
  const input = piece(page, 'combobox').getByRole('combobox', { name: 'Cliente', exact: true });
  await input.pressSequentially('SAO JOAO');
  await expect(options(page)).toHaveText([/Clínica São João/]);
  await input.press('Enter');
  await expect(input).toHaveValue('Clínica São João');
  await expect(options(page)).toHaveCount(0);
  await input.fill('11.222');
  await expect(options(page)).toHaveText([/Padaria Aurora/]);
  await input.fill('ninguém');
  await expect(page.getByText('Nada encontrado.')).toBeVisible();
});

test('combobox › arrows move through the options, and Escape keeps the selected one', async ({ page }) => {
  const input = piece(page, 'combobox').getByRole('combobox', { name: 'Destinatário' });
  await input.focus();
  await input.press('ArrowDown');
  await expect(input).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByRole('listbox').getByRole('option', { selected: true })).toHaveText(
    /Clínica São João/,
  );
  await expect(page.getByText('Só os primeiros 50 clientes são mostrados.')).toBeVisible();
  await input.press('ArrowDown');
  const active = page.getByRole('option', { name: /Oficina do Zé/ });
  await expect(input).toHaveAttribute('aria-activedescendant', (await active.getAttribute('id')) ?? '');
  await input.press('Escape');
  await expect(page.getByRole('listbox')).toHaveCount(0);
  await expect(input).toHaveValue('Clínica São João');
  await expect(input).toBeFocused();
});

test('combobox › a text that is no option clears the selection, and Escape restores it', async ({ page }) => {
  const input = piece(page, 'combobox').getByRole('combobox', { name: 'Destinatário' });
  await input.fill('Padaria que não existe');
  await input.press('Escape');
  await expect(input).toHaveValue('Clínica São João');
  await input.fill('Padaria que não existe');
  await input.press('Tab');
  await expect(input).toHaveValue('');
});

test('combobox › a form is not sent with an option that the field does not show', async ({ page }) => {
  const section = piece(page, 'combobox');
  const input = section.getByRole('combobox', { name: 'Favorecido' });
  // By their texts, because an open list hides the rest of the page from assistive technology.
  const send = section.getByText('Enviar', { exact: true });
  const sent = section.getByText(/^Enviado/);
  await input.fill('zé');
  await input.press('Enter');
  await expect(input).toHaveValue('Oficina do Zé');
  await expect(sent).toBeHidden();

  // Without an option to select, Enter keeps the text and the list.
  await input.fill('Oficina do Zeca');
  await expect(page.getByText('Nada encontrado.')).toBeVisible();
  await input.press('Enter');
  await expect(input).toHaveValue('Oficina do Zeca');
  await expect(page.getByText('Nada encontrado.')).toBeVisible();
  await expect(sent).toBeHidden();

  await send.click();
  await expect(sent).toHaveText('Enviado para ninguém.');
  await expect(input).toHaveValue('');

  // The label of the earlier selection restores it, and Enter in the closed list sends the form.
  await input.fill('zé');
  await input.press('Enter');
  await input.press('End');
  await input.press('x');
  await input.press('Backspace');
  await input.press('Tab');
  await input.press('Enter');
  await expect(sent).toHaveText('Enviado para ninguém. Enviado para Oficina do Zé.');
});

test('combobox › its button opens the list, and a click selects', async ({ page }) => {
  const section = piece(page, 'combobox');
  const input = section.getByRole('combobox', { name: 'Cliente', exact: true });
  await section.getByRole('button', { name: 'Abrir lista' }).first().click();
  await page.getByRole('option', { name: /Oficina do Zé/ }).click();
  await expect(input).toHaveValue('Oficina do Zé');
});

test('combobox › an error is read with the field, and a disabled one opens no list', async ({ page }) => {
  const section = piece(page, 'combobox');
  const invalid = section.getByRole('combobox', { name: 'Cliente da guia' });
  await expect(invalid).toHaveAttribute('aria-invalid', 'true');
  await expect(invalid).toHaveAccessibleDescription('Escolha um cliente.');
  await expect(section.getByRole('combobox', { name: 'Cliente do ticket' })).toBeDisabled();
  await section.getByRole('button', { name: 'Abrir lista' }).last().dispatchEvent('click');
  await expect(page.getByRole('listbox')).toHaveCount(0);
});

test('combobox › an open list fits a phone and has no violation', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const input = piece(page, 'combobox').getByRole('combobox', { name: 'Cliente', exact: true });
  await input.click();
  await expect(options(page)).toHaveCount(4);
  for (const option of await options(page).all()) {
    expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await expectAccessibleInBothThemes(page, { include: '[role=listbox]' });
});
