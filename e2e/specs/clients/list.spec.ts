// The list of clients: search, order and failure.

import { expect } from '@playwright/test';

import { openSession, signInAsAdmin, test } from '../../fixtures/test.ts';
import { clientSearch } from '../../helpers/clients.ts';

test.describe('client list', () => {
  test('is searched without accents and sorted on the server', async ({ page, app }) => {
    const tag = 'Ordem';
    for (const name of ['Zélia', 'Álvaro', 'Bento']) await app.newClient(`${tag} ${name}`);
    await openSession(page);
    await page.goto('/admin/clients');
    await clientSearch(page).fill('ordem alvaro');
    await expect(page.getByRole('row', { name: `${tag} Álvaro` })).toBeVisible();
    await expect(page.getByRole('row', { name: `${tag} Bento` })).toBeHidden();

    await clientSearch(page).fill(tag);
    const names = page.getByRole('table', { name: 'Clientes' }).getByRole('link', { name: /^Ordem/ });
    const heading = page.getByRole('columnheader', { name: 'Nome' });
    await heading.getByRole('button').click();
    await expect(names).toHaveText([`${tag} Álvaro`, `${tag} Bento`, `${tag} Zélia`]);
    await expect(heading).toHaveAttribute('aria-sort', 'ascending');
    await heading.getByRole('button').click();
    await expect(names).toHaveText([`${tag} Zélia`, `${tag} Bento`, `${tag} Álvaro`]);
    await expect(heading).toHaveAttribute('aria-sort', 'descending');
    await expect(page).toHaveURL('/admin/clients?busca=Ordem&ordem=-nome');

    await clientSearch(page).fill('ninguém com este nome');
    await expect(page.getByText('Nenhum cliente encontrado')).toBeVisible();
    await expect(page.getByText('Tente ajustar sua busca.')).toBeVisible();
  });

  test('shows a failed request and tries again', async ({ page, app }) => {
    await app.newClient('Nadir Falha');
    await signInAsAdmin(page);
    await app.portaria.withBrokenTable('clients', async () => {
      await page.goto('/admin/clients');
      await expect(page.getByText('Erro ao buscar clientes')).toBeVisible();
      await expect(page.getByRole('button', { name: 'Tentar novamente' })).toBeVisible();
    });
    await page.getByRole('button', { name: 'Tentar novamente' }).click();
    await expect(page.getByRole('table', { name: 'Clientes' })).toBeVisible();
  });
});
