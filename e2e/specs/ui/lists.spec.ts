// Tables and lists that load while they are scrolled.

import { expect } from '@playwright/test';

import { piece, test } from '../../fixtures/gallery.ts';

test('table › is a table for a screen reader also as cards', async ({ page }) => {
  for (const name of ['Guias do mês', 'Guias no celular']) {
    const table = piece(page, 'data-table').getByRole('table', { name });
    await expect(table.getByRole('columnheader')).toHaveText(['Documento', 'Cliente', 'Vencimento', 'Ações']);
    await expect(table.getByRole('row')).toHaveCount(4);
    await expect(table.getByRole('row', { name: /DAS de outubro/ }).getByRole('cell')).toHaveCount(4);
  }
});

test('table › its cards show labels in place of headings, and break long words', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const section = piece(page, 'data-table');
  const wide = section.getByRole('table', { name: 'Guias do mês' }).getByRole('row').nth(1);
  const card = section.getByRole('table', { name: 'Guias no celular' }).getByRole('row').nth(1);
  const label = (row: typeof wide) => row.getByText('Vencimento', { exact: true });
  await expect(label(card)).toBeVisible();
  await expect(label(wide)).toBeHidden();
  const top = async (row: typeof wide, text: string) => (await row.getByText(text).boundingBox())?.y ?? 0;
  expect(await top(card, '20/11/2026')).toBeGreaterThan(await top(card, 'DAS de outubro'));
  for (const name of ['Guias do mês', 'Guias no celular']) {
    const overflow = await section
      .getByRole('table', { name })
      .evaluate((table) => table.scrollWidth - (table.parentElement?.clientWidth ?? 0));
    expect(overflow, name).toBeLessThanOrEqual(0);
  }
});

test('infinite scroll › loads each page when its end comes near, and then ends', async ({ page }) => {
  const section = piece(page, 'infinite-scroll');
  await section.getByRole('button', { name: 'Abrir a lista' }).click();
  const list = section.getByRole('region', { name: 'Lista que carrega' });
  const lines = list.getByRole('listitem');
  await expect(lines).toHaveCount(20);
  const scroll = () => lines.last().scrollIntoViewIfNeeded();
  await scroll();
  await expect(lines).toHaveCount(40);
  await scroll();
  await expect(lines).toHaveCount(60);
  await expect(list.getByRole('button', { name: 'Carregar mais' })).toHaveCount(0);
});

test('infinite scroll › after a failure only its button tries again', async ({ page }) => {
  const section = piece(page, 'infinite-scroll');
  const more = section.getByRole('button', { name: 'Carregar mais' });
  await more.scrollIntoViewIfNeeded();
  await expect(section.getByText('Novas tentativas: 0')).toBeVisible();
  await more.press('Enter');
  await expect(section.getByText('Novas tentativas: 1')).toBeVisible();
});
