// Rules of recognition: an administrator describes a kind of documents, and the inbox recognizes it.

import { expect } from '@playwright/test';

import { signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { pdfWithText } from '../../helpers/pdf.ts';
import { pdfFile } from '../../helpers/upload.ts';

test('a rule of the office recognizes a document that the portal does not know', async ({ page }) => {
  await signInAsAdmin(page);
  await page.goto('/admin/documents/bulk');
  await page.getByRole('button', { name: 'Regras', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Regras da caixa de entrada' });
  await dialog.getByRole('button', { name: 'Nova regra' }).click();
  await dialog.getByRole('button', { name: 'Salvar regra' }).click();
  await expect(dialog.getByText('Dê um nome ao tipo de documento.')).toBeVisible();
  await dialog.getByLabel('Nome do tipo').fill('Taxa do condomínio');
  await dialog.getByLabel('Expressões que aparecem').fill('Edifício Aurora\nno');
  await dialog.getByRole('button', { name: 'Salvar regra' }).click();
  await expect(dialog.getByText('“no” precisa ter de 3 a 80 letras ou números.')).toBeVisible();
  await dialog.getByLabel('Expressões que aparecem').fill('Edifício Aurora\ntaxa condominial');
  await dialog.getByLabel('Pasta do tipo').selectOption('Faturas');
  await dialog.getByLabel('É para pagar').check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Salvar regra' }).click();
  const item = dialog.getByRole('listitem').filter({ hasText: 'Taxa do condomínio' });
  await expect(item).toContainText('Com “Edifício Aurora”, “taxa condominial” · pasta Faturas · a pagar');
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  const text = 'EDIFICIO AURORA\nTaxa condominial\nVencimento: 20/12/2026\nValor total: 143,59';
  await page
    .getByLabel('Arquivos', { exact: true })
    .setInputFiles([pdfFile('condominio.pdf', await pdfWithText(text))]);
  await page.getByRole('button', { name: /^Sem dono/ }).click();
  const row = page.getByRole('row', { name: 'Taxa do condomínio' });
  await expect(row).toContainText('R$ 143,59');
  await row.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Descartar' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Descartar' }).click();
  await expect(row).toBeHidden();

  // A change and a deletion.
  await page.getByRole('button', { name: 'Regras', exact: true }).click();
  await item.getByRole('button', { name: 'Editar a regra Taxa do condomínio' }).click();
  await expect(dialog.getByLabel('Expressões que aparecem')).toHaveValue('Edifício Aurora\ntaxa condominial');
  await dialog.getByLabel('Nome do tipo').fill('Condomínio Aurora');
  await dialog.getByRole('button', { name: 'Salvar regra' }).click();
  const renamed = dialog.getByRole('listitem').filter({ hasText: 'Condomínio Aurora' });
  await expect(renamed).toBeVisible();
  await renamed.getByRole('button', { name: 'Excluir a regra Condomínio Aurora' }).click();
  await expect(renamed).toHaveCount(0);
});
