// Administrators: the role is granted and revoked, but not one's own.

import { expect } from '@playwright/test';

import { ADMIN } from '../fixtures/server.ts';
import { signInAsAdmin, test } from '../fixtures/test.ts';
import { signIn } from '../helpers/api.ts';
import { openRowMenu } from '../helpers/lists.ts';

test('administrator role › is granted and revoked, and both are in the activity log', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Célia Prado');
  await signInAsAdmin(page);
  await page.getByRole('link', { name: 'Administradores' }).click();
  const table = page.getByRole('table', { name: 'Administradores' });
  const own = table.getByRole('row').filter({ hasText: ADMIN.email });
  await expect(own).toContainText('(você)');
  await expect(own.getByRole('button')).toHaveText(['Papel']);

  await page.getByRole('button', { name: 'Adicionar Administrador' }).click();
  const dialog = page.getByRole('dialog', { name: 'Adicionar administrador' });
  await dialog.getByRole('button', { name: 'Tornar administrador' }).click();
  await expect(dialog.getByText('Escolha uma conta.')).toBeVisible();
  await dialog.getByLabel('Conta').fill('celia');
  await page.getByRole('option', { name: /Célia Prado/ }).click();
  await expect(dialog.getByText('Escolha uma conta.')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Tornar administrador' }).click();
  await expect(page.getByText('Papel de administrador concedido.')).toBeVisible();
  const row = table.getByRole('row').filter({ hasText: person.email });
  await expect(row).toBeVisible();
  const celia = await signIn(app.portaria, person);
  expect((await celia.from('email_templates').select()).error).toBeNull();

  await openRowMenu(page, 'Célia Prado');
  await page.getByRole('menuitem', { name: 'Retirar papel' }).click();
  const question = page.getByRole('alertdialog', { name: 'Retirar papel de administrador' });
  await expect(question).toContainText('Célia Prado deixa de acessar o painel na hora');
  await question.getByRole('button', { name: 'Retirar papel' }).click();
  await expect(page.getByText('Papel de administrador retirado.')).toBeVisible();
  await expect(row).toHaveCount(0);
  expect((await celia.from('email_templates').select()).error?.code).toBe('42501');

  await page.goto('/admin/activity?tipo=administradores');
  await expect(page.getByRole('table', { name: 'Atividade' }).getByRole('row')).toContainText([
    /./,
    /Papel de administrador retirado.*celia|Papel de administrador retirado.*Célia Prado/,
    /Papel de administrador concedido.*Célia Prado/,
  ]);
});
