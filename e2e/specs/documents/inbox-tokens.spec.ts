// Tokens of the inbox: an administrator creates one, a script sends a file with it, and the administrator revokes it.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect } from '@playwright/test';

import { signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { pdfWithText } from '../../helpers/pdf.ts';

const run = promisify(execFile);

test('a scanner sends files with a token until it is revoked', async ({ page }) => {
  await signInAsAdmin(page);
  await page.goto('/admin/settings');
  const panel = page.locator('section', { hasText: 'Envio por scanner ou programa' });
  await panel.getByRole('button', { name: 'Criar chave de envio' }).click();
  await expect(panel.getByText('Dê um nome à chave')).toBeVisible();
  await panel.getByLabel('Nome da chave').fill('Scanner da recepção');
  await panel.getByRole('button', { name: 'Criar chave de envio' }).click();

  // The secret and the command are shown once.
  const dialog = page.getByRole('dialog', { name: 'Chave de envio criada' });
  const secret = await dialog.getByLabel('Chave', { exact: true }).inputValue();
  expect(secret).toMatch(/^portaria_inbox_[\w-]{43}$/);
  const command = await dialog.getByText('curl --fail').innerText();
  expect(command).toContain(secret);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Já copiei a chave' }).click();
  await expect(dialog).toBeHidden();
  const item = panel.getByRole('listitem').filter({ hasText: 'Scanner da recepção' });
  await expect(item).toContainText('Ainda não enviou nada');
  await page.reload();
  await expect(item).toBeVisible();
  expect(await page.content()).not.toContain(secret);

  // The example works as it is.
  const folder = await mkdtemp(join(tmpdir(), 'portaria-scanner-'));
  const send = () => run('sh', ['-c', command], { cwd: folder });
  try {
    await writeFile(join(folder, 'guia.pdf'), await pdfWithText('Página que o scanner enviou'));
    await send();
    await page.goto('/admin/documents/bulk?grupo=no_owner');
    await expect(page.getByRole('row', { name: 'guia' })).toBeVisible();

    await page.goto('/admin/settings');
    await expect(item).toContainText('Último arquivo em');
    await expectAccessible(page);
    await item.getByRole('button', { name: 'Revogar a chave Scanner da recepção' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revogar' }).click();
    await expect(item).toBeHidden();
    await expect(send()).rejects.toThrow('403');
  } finally {
    await rm(folder, { recursive: true });
  }

  await page.goto('/admin/activity');
  await expect(page.getByText('Chave de envio revogada').first()).toBeVisible();
  await expect(page.getByText('guia.pdf (Scanner da recepção)').first()).toBeVisible();
});
