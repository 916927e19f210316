// Forms on a phone: the notice about a refused form covers neither its button nor the field at fault.

import { expect, type Locator, type Page } from '@playwright/test';

import { signInAsAdmin, signInAsClient, test } from '../../fixtures/test.ts';

test.use({ viewport: { width: 390, height: 844 } });

test('refused form › its notice does not cover the button or the field', async ({ page, app }) => {
  const client = await app.newClient('Fabiana Celular');
  await signInAsClient(page, client);
  await expectUncovered(page, '/tickets/new', 'Enviar Ticket');
  await signInAsAdmin(page);
  for (const [path, button] of [
    ['/admin/clients/new', 'Criar Cliente'],
    ['/admin/documents/upload', 'Salvar Documento'],
    ['/admin/email-templates/new', 'Criar Template'],
  ] as const) {
    await expectUncovered(page, path, button);
  }
});

test('refused form › its notice does not cover the button outside the portal', async ({ page }) => {
  await page.goto('/atualizar-senha');
  await page.getByLabel('Nova senha', { exact: true }).fill('curta');
  await expectUncovered(page, null, 'Atualizar Senha');
});

/** Sends the form with invalid fields. A `path` opens its page first. */
async function expectUncovered(page: Page, path: string | null, name: string): Promise<void> {
  if (path !== null) await page.goto(path);
  const button = page.getByRole('button', { name, exact: true });
  await button.click();
  const notice = page.locator('[data-slot="toast"]').first();
  await expect(notice).toBeVisible();
  const field = page.locator(':focus');
  await expect(field, path ?? name).toHaveAttribute('aria-invalid', 'true');
  expect(await overlap(notice, field), `${path}: the field`).toBe(false);
  await button.scrollIntoViewIfNeeded();
  expect(await overlap(notice, button), `${path}: the button`).toBe(false);
  await page.evaluate(() => scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' }));
  expect(await overlap(notice, button), `${path}: the button at the end of the page`).toBe(false);
}

async function overlap(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = [await one.boundingBox(), await other.boundingBox()];
  if (!a || !b) return false;
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
