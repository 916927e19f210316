// The lines of a long group of the inbox: only those near the viewport are in the document.

import { expect } from '@playwright/test';

import { openSession, test } from '../../fixtures/test.ts';
import { seedRecognizedFiles } from '../../helpers/inbox.ts';

const FILES = 1_000;

test('inbox › a thousand lines are worked by keys while only the visible ones are in the document', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Atacado das Mil Guias');
  seedRecognizedFiles(app, { client: client.id, folder: 'faturas', count: FILES });
  await openSession(page);
  await page.goto('/admin/documents/bulk');
  const table = page.getByRole('table', { name: 'Arquivos da caixa de entrada' });
  const lines = table.locator('[data-row]');
  const open = table.locator('[aria-current=true]');
  await expect(table).toHaveAttribute('aria-rowcount', String(FILES + 1));
  await expect(lines.first()).toHaveAttribute('aria-rowindex', '2');
  expect(await lines.count()).toBeLessThan(60);

  await test.step('keys lead to a line far below, which is shown', async () => {
    await lines.first().getByRole('button').click();
    for (let at = 1; at <= 30; at += 1) await page.keyboard.press(at % 2 === 0 ? 'j' : 'ArrowDown');
    await expect(open).toHaveAttribute('aria-rowindex', '32');
    await expect(open).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('x');
    await expect(page.getByRole('button', { name: 'Publicar 1', exact: true })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(open).toHaveCount(0);
  });

  await test.step('selection and focus survive that their line leaves the viewport', async () => {
    const checkbox = table.locator('[aria-rowindex="32"]').getByRole('checkbox');
    await checkbox.focus();
    await page.evaluate(() => scrollTo(0, 0));
    await expect(lines.first()).toBeInViewport();
    await expect(checkbox).not.toBeInViewport();
    await expect(checkbox).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(table.locator('[aria-rowindex="32"]').getByRole('button')).toBeFocused();
    await expect(checkbox).toBeInViewport();
    await expect(checkbox).toBeChecked();
  });

  await test.step('the end of the page loads the next lines', async () => {
    const scrollToEnd = async () => {
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      return Number(await lines.last().getAttribute('aria-rowindex'));
    };
    await expect.poll(scrollToEnd, { timeout: 60_000 }).toBe(FILES + 1);
    expect(await lines.count()).toBeLessThan(60);
  });
});
