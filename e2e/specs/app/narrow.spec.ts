// The back office in narrow windows, with long names: no page is wider than its window.

import { expect, type Page } from '@playwright/test';

import { openSession, test } from '../../fixtures/test.ts';
import { expectOk } from '../../helpers/api.ts';
import { clientSearch } from '../../helpers/clients.ts';
import { seedRecognizedFiles } from '../../helpers/inbox.ts';

/** 85 characters without a place to break. */
const LONG_WORD = 'CooperativaDosProdutoresRurais'.repeat(3).slice(0, 85);

const ask = (client_id: string, name: string) => ({ client_id, name, month: '2026-11' });

const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

test('inbox › a long name does not widen the page on a phone', async ({ page, app }) => {
  const client = await app.newClient(LONG_WORD);
  seedRecognizedFiles(app, { client: client.id, folder: 'faturas', count: 2 });
  await openSession(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/admin/documents/bulk');
  await expect(page.getByRole('cell', { name: LONG_WORD }).first()).toBeVisible();
  expect(await overflow(page)).toBe(0);
});

test('inbox › Back closes the file that fills the screen of a phone, and saves what was typed', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Confeitaria Estreita');
  seedRecognizedFiles(app, { client: client.id, folder: 'faturas', count: 2 });
  await openSession(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/admin/documents/bulk');
  const row = page.getByRole('row', { name: 'Confeitaria Estreita' }).filter({ hasText: 'Guia 1' });
  const file = row.getByRole('button');
  const panel = page.getByRole('region', { name: 'guia 1.pdf' });
  await file.click();
  await expect(page).toHaveURL(/\?arquivo=/);
  await panel.getByLabel('Valor (R$)').fill('12,00');
  await page.goBack();
  await expect(panel).toBeHidden();
  await expect(file).toBeFocused();
  await expect(page).toHaveURL(/bulk$/);
  await expect(row).toContainText('R$ 12,00');
  await page.goForward();
  await expect(panel).toBeVisible();
  await page.reload();
  await expect(panel).toBeVisible();
  await panel.getByRole('button', { name: 'Fechar' }).click();
  await expect(file).toBeFocused();
  await expect(page).toHaveURL(/bulk$/);
  await file.click();
  for (const step of ['Arquivo anterior', 'Próximo arquivo']) {
    await page.getByRole('button', { name: step }).click();
  }
  await page.goBack();
  await expect(page).toHaveURL(/bulk$/);
  await expect(page.getByRole('region', { name: /^guia/ })).toBeHidden();
});

test('requests › the month scrolls in its own table on a phone', async ({ page, app }) => {
  const client = await app.newClient('Olaria Estreita');
  const other = await app.newClient('Tecelagem Estreita');
  await expectOk(
    app.admin
      .from('request_items')
      .insert([
        ...['Extrato bancário', 'Folha de ponto', 'Notas fiscais'].map((name) => ask(client.id, name)),
        ask(other.id, 'Extrato bancário'),
      ]),
  );
  await openSession(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/admin/solicitacoes?visao=mes&mes=2026-11');
  const region = page.getByRole('region', { name: 'Solicitações do mês' });
  await expect(region.getByText('Notas fiscais')).toBeAttached();
  expect(await region.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeGreaterThan(0);
  expect(await overflow(page)).toBe(0);
});

test('clients › the last access is shown on a tablet, where the menu leads to the form', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Nívea Tablet');
  await openSession(page);
  await page.setViewportSize({ width: 768, height: 1024 });
  await page.goto('/admin/clients');
  await clientSearch(page).fill(client.name);
  const row = page.getByRole('row', { name: client.name });
  await expect(row).toContainText('Ainda não entrou');
  await expect(row.getByRole('link', { name: `Editar ${client.name}` })).toBeHidden();
  await row.getByRole('button', { name: `Ações de ${client.name}` }).click();
  await page.getByRole('menuitem', { name: 'Editar' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Editar Cliente' })).toBeVisible();
});

test('list › order and filters on a phone are folded, so that the first row is near the top', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Odair Telefone');
  await openSession(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/admin/clients');
  await clientSearch(page).fill(client.name);
  const row = page.getByRole('row', { name: client.name });
  await expect(row).toBeVisible();
  expect((await row.boundingBox())?.y).toBeLessThan(240);
  await expect(page.getByRole('button', { name: 'Com tickets abertos' })).toBeHidden();
  const unfold = page.getByRole('button', { name: /^Filtros/ });
  await expect(unfold).toHaveAttribute('aria-expanded', 'false');
  await unfold.click();
  await expect(unfold).toHaveAttribute('aria-expanded', 'true');
  const tops = await Promise.all(
    [
      page.getByLabel('Ordenar por'),
      page.getByRole('button', { name: 'Visões' }),
      page.getByRole('button', { name: 'Exportar' }),
    ].map(async (control) => (await control.boundingBox())?.y),
  );
  expect(new Set(tops).size).toBe(1);
  await page.getByRole('button', { name: 'Ainda não entrou' }).click();
  await expect(page.getByRole('button', { name: 'Filtros 1' })).toBeVisible();
  await page.getByRole('button', { name: 'Filtros 1' }).click();
  await expect(page.getByRole('button', { name: 'Ainda não entrou' })).toBeHidden();
  await expect(row).toBeVisible();
});
