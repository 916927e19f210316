// Fields and their controls: names, descriptions, errors and keys.

import { expect } from '@playwright/test';

import { piece, test } from '../../fixtures/gallery.ts';

test('field › a screen reader reads its error before its hint', async ({ page }) => {
  const section = piece(page, 'field');
  const invalid = section.getByRole('textbox', { name: 'CNPJ' });
  await expect(invalid).toHaveAttribute('aria-invalid', 'true');
  await expect(invalid).toHaveAccessibleDescription('O CNPJ não é válido. 14 dígitos');
  await expect(section.getByRole('alert')).toHaveText('O CNPJ não é válido.');
  const required = section.getByRole('textbox', { name: 'E-mail *' });
  await expect(required).toHaveAttribute('aria-required', 'true');
  await expect(required).not.toHaveAttribute('aria-invalid');
  await expect(required).toHaveAccessibleDescription('O cliente entra no portal com este e-mail.');
});

test('field › a click on the label focuses the control', async ({ page }) => {
  const section = piece(page, 'field');
  await section.getByText('Nome', { exact: true }).click();
  await expect(section.getByRole('textbox', { name: 'Nome', exact: true })).toBeFocused();
});

test('input › an invalid one has another outline than the rest', async ({ page }) => {
  const section = piece(page, 'input');
  const outline = (name: string) =>
    section.getByRole('textbox', { name }).evaluate((element) => getComputedStyle(element).borderColor);
  expect(await outline('Telefone do contato')).not.toBe(await outline('Assunto'));
  await expect(section.getByRole('textbox', { name: 'Código' })).toBeDisabled();
});

test('checkbox › its label, its box and the space bar switch it', async ({ page }) => {
  const section = piece(page, 'checkbox');
  const notify = section.getByRole('checkbox', { name: 'Avisar por e-mail' });
  await section.getByText('Avisar por e-mail').click();
  await expect(notify).not.toBeChecked();
  await notify.press('Space');
  await expect(notify).toBeChecked();
  await notify.click();
  await expect(notify).not.toBeChecked();
  await expect(section.getByRole('checkbox', { name: 'Pedir ciência' })).toHaveAccessibleDescription(
    'O cliente confirma que leu o documento.',
  );
  await expect(section.getByRole('checkbox', { name: 'Enviar uma cópia' })).toBeDisabled();
});

test('select › keys choose an option, and an error is read with it', async ({ page }) => {
  const section = piece(page, 'select');
  const folder = section.getByRole('combobox', { name: 'Pasta' });
  await expect(folder).toHaveValue('');
  await folder.focus();
  await page.keyboard.press('F');
  await expect(folder).toHaveValue('payroll');
  await expect(section.getByRole('combobox', { name: 'Departamento' })).toHaveAccessibleDescription(
    'Escolha um departamento.',
  );
  await expect(section.getByRole('combobox', { name: 'Prioridade' })).toBeDisabled();
});

test('password › is shown and hidden by keys, and keeps its text', async ({ page }) => {
  const section = piece(page, 'password-input');
  const field = section.getByLabel('Senha', { exact: true });
  await field.fill('pão de queijo');
  await expect(field).toHaveAttribute('type', 'password');
  await field.press('Tab');
  await page.keyboard.press('Enter');
  await expect(field).toHaveAttribute('type', 'text');
  await expect(field).toHaveValue('pão de queijo');
  const hide = section.getByRole('button', { name: 'Ocultar senha' });
  await expect(hide).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(field).toHaveAttribute('type', 'password');
  await expect(section.getByLabel('Nova senha', { exact: true })).toHaveAccessibleDescription(
    'A senha precisa de 8 caracteres.',
  );
});

test('search › its button clears the text and returns to the field', async ({ page }) => {
  const section = piece(page, 'search-input');
  const search = section.getByRole('searchbox', { name: 'Buscar documentos' });
  await expect(section.getByRole('button', { name: 'Limpar busca' })).toHaveCount(1);
  await search.fill('guia');
  await search.press('Tab');
  await page.keyboard.press('Enter');
  await expect(search).toHaveValue('');
  await expect(search).toBeFocused();
  await expect(section.getByRole('button', { name: 'Limpar busca' })).toHaveCount(1);
});
