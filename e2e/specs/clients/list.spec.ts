// The list of clients: search, order and failure.

import { expect } from '@playwright/test';

import { openSession, signInAsAdmin, test } from '../../fixtures/test.ts';
import {
  clientSearch,
  createClientWithNumbers,
  createClientWithTaxId,
  deletePerson,
} from '../../helpers/clients.ts';
import { seedDocuments } from '../../helpers/documents.ts';
import { addTickets } from '../../helpers/tickets.ts';

test.describe('client list', () => {
  test('is searched without accents and sorted on the server', async ({ page, app }) => {
    const tag = 'Ordem';
    for (const name of ['Zélia', 'Álvaro', 'Bento']) await app.newClient(`${tag} ${name}`);
    await openSession(page);
    await page.goto('/admin/clients');
    await clientSearch(page).fill('alvaro ord');
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

  test('is searched by CPF, CNPJ and phone number', async ({ page, app }) => {
    const [company, stored, person] = [
      await createClientWithTaxId(app, 'Padaria dos Números Ltda', '11222333000181'),
      await createClientWithTaxId(app, 'Importada com Pontos Ltda', '12.345.678/0001-95'),
      await createClientWithNumbers(app, 'Nair dos Números', {
        tax_id: '52998224725',
        phone: '5511987651234',
      }),
    ];
    await openSession(page);
    await page.goto('/admin/clients');
    const names = page
      .getByRole('table', { name: 'Clientes' })
      .getByRole('row')
      .getByRole('link', { name: / / });
    for (const [text, client] of [
      ['11.222.333/0001-81', company],
      ['222333000', company],
      ['12345678000195', stored],
      ['529.982.247-25', person],
      ['(11) 98765-1234', person],
      ['0 11 98765', person],
    ] as const) {
      await clientSearch(page).fill(text);
      await expect(names.filter({ hasNotText: 'Editar' })).toHaveText([client.name]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    const row = page.getByRole('row', { name: person.name });
    await expect(row).toContainText('529.982.247-25');
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(row).toContainText('529.982.247-25');
    for (const client of [company, stored, person]) await deletePerson(app, client);
  });

  test('shows the whole of a long name in a row of 48 px', async ({ page, app }) => {
    const person = await app.newClient('Comércio de Alimentos e Transportes Irmãos Ferreira da Silva Ltda.');
    await openSession(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto('/admin/clients');
    await clientSearch(page).fill(person.name);
    const row = page.getByRole('row', { name: person.name });
    await expect(row).toContainText('Ainda não entrou');
    const box = row.getByRole('cell', { name: person.name, exact: true });
    const cut = await box.evaluate((cell) =>
      [cell, ...cell.querySelectorAll('*')].some(
        (part) => part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1,
      ),
    );
    expect(cut).toBe(false);
    expect((await row.boundingBox())?.height).toBeLessThan(50);
  });

  test('shows the whole address on a card without a CPF or CNPJ', async ({ page, app }) => {
    const person = await app.newClient('Odila Sem Número');
    await seedDocuments(
      app,
      person,
      Array.from({ length: 25 }, (_, at) => `Guia ${at}`),
    );
    await addTickets(
      app.portaria,
      person,
      Array.from({ length: 12 }, (_, at) => ({ subject: `Dúvida ${at}` })),
    );
    await openSession(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/admin/clients');
    await clientSearch(page).fill(person.name);
    await expect(page.getByRole('row', { name: person.name })).toContainText('25 docs. · 12 tickets');
    const address = page.getByTitle(person.email, { exact: true });
    expect(await address.evaluate((cell) => cell.scrollWidth - cell.clientWidth)).toBe(0);
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
