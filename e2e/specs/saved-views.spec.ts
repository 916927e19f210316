// Saved views of lists: a name for the filters and the order, for one person.

import { expect, type Page } from '@playwright/test';

import { openSession, test } from '../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../helpers/accessibility.ts';
import { loseAnswer } from '../helpers/network.ts';
import { addTickets } from '../helpers/tickets.ts';

const menu = (page: Page) => page.getByRole('button', { name: 'Visões', exact: true });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Visões salvas' });

async function organize(page: Page): Promise<void> {
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'Salvar ou organizar…' }).click();
}

test('saved views › filters of the queue are saved, opened, renamed and deleted', async ({ page, app }) => {
  const person = await app.newClient('Companhia Salva');
  await addTickets(app.portaria, person, [{ subject: 'Visão aberta' }, { subject: 'Outro assunto' }]);
  await openSession(page);
  await page.goto('/admin/tickets');
  await organize(page);
  await expect(dialog(page)).toContainText('escolha antes os filtros');
  await page.keyboard.press('Escape');

  await page.goto('/admin/tickets?busca=Visão&status=open');
  await expect(page.getByRole('link', { name: 'Visão aberta' })).toBeVisible();
  await organize(page);
  await dialog(page).getByRole('button', { name: 'Salvar a visão atual' }).click();
  await expect(dialog(page).getByText('Dê um nome à visão.')).toBeVisible();
  await dialog(page).getByLabel('Nome da visão').fill('Só a Visão');
  // A lost answer makes no second view.
  await loseAnswer(page, '**/rest/v1/saved_views');
  await dialog(page).getByRole('button', { name: 'Salvar a visão atual' }).click();
  await expect(page.getByText('Erro ao salvar a visão')).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Salvar a visão atual' }).click();
  await expect(dialog(page).getByLabel('Nome de Só a Visão')).toHaveValue('Só a Visão');
  await expectAccessibleInBothThemes(page);
  await page.keyboard.press('Escape');

  await page.goto('/admin/tickets?prioridade=urgent');
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'Só a Visão' }).click();
  await expect(page).toHaveURL(/\/admin\/tickets\?busca=Vis%C3%A3o&status=open$/);
  await expect(page.getByRole('searchbox')).toHaveValue('Visão');
  await expect(page.getByRole('link', { name: 'Visão aberta' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Outro assunto' })).toBeHidden();

  await organize(page);
  await dialog(page).getByLabel('Nome de Só a Visão').fill('Visão da manhã');
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByLabel('Nome de Visão da manhã')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.reload();
  await menu(page).click();
  await expect(page.getByRole('menuitem', { name: 'Visão da manhã' })).toBeVisible();
  await page.keyboard.press('Escape');
  // Another list has its own.
  await page.goto('/admin/clients');
  await menu(page).click();
  await expect(page.getByText('Nenhuma ainda.')).toBeVisible();
  await page.keyboard.press('Escape');

  await page.goto('/admin/tickets');
  await organize(page);
  await dialog(page).getByRole('button', { name: 'Excluir a visão Visão da manhã' }).click();
  await expect(dialog(page).getByLabel('Nome de Visão da manhã')).toBeHidden();
});

test('saved views › are offered by the documents not opened too', async ({ page, app }) => {
  await app.newClient('Sem Abrir Visões');
  await openSession(page);
  await page.goto('/admin/unopened?vencimento=week');
  await organize(page);
  await dialog(page).getByLabel('Nome da visão').fill('Vencem na semana');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.goto('/admin/unopened');
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'Vencem na semana' }).click();
  await expect(page).toHaveURL(/vencimento=week$/);
});
