// Files and folders that are dropped on a page of the back office, as a person drags them from the desktop.

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectOk, serviceClient } from '../../helpers/api.ts';
import { pdfWithText } from '../../helpers/pdf.ts';

/** Drags files or folders from the desktop to a point of the page. */
async function dropFromDesktop(page: Page, files: string[], hover: () => Promise<void>): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
  await drag('dragEnter');
  // A browser repeats this event while the files are over the page.
  await expect(async () => {
    await drag('dragOver');
    await hover();
  }).toPass();
  await drag('dragOver');
  await hover();
  await drag('drop');
  await session.detach();
}

test('inbox › takes files and folders that are dropped on another page', async ({ page, app }, testInfo) => {
  const folder = testInfo.outputPath('guias');
  await mkdir(path.join(folder, 'novembro'), { recursive: true });
  const single = testInfo.outputPath('solto.pdf');
  await writeFile(single, await pdfWithText('Aviso solto'));
  await writeFile(path.join(folder, 'um.pdf'), await pdfWithText('Aviso um'));
  await writeFile(path.join(folder, 'novembro', 'dois.pdf'), await pdfWithText('Aviso dois'));
  await signInAsAdmin(page);
  await page.goto('/admin/clients');
  await expect(page.getByRole('heading', { level: 1, name: 'Clientes' })).toBeVisible();
  const hint = page.getByText('Solte para enviar à Caixa de entrada');
  await dropFromDesktop(page, [single, folder], () => expect(hint).toBeVisible({ timeout: 500 }));
  await expect(page).toHaveURL(/\/admin\/documents\/bulk/);
  await expect(hint).toBeHidden();
  await page.getByRole('group', { name: 'Grupo' }).getByRole('button', { name: 'Sem dono' }).click();
  for (const name of ['solto.pdf', 'um.pdf', 'dois.pdf']) {
    await expect(page.getByRole('row', { name })).toBeVisible({ timeout: 60_000 });
  }
  await expectOk(serviceClient(app.portaria).from('inbox_files').delete().not('id', 'is', null));
});
