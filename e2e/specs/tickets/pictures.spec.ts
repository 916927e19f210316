// Pictures among the attachments of a ticket.
import { readFile } from 'node:fs/promises';

import { expect } from '@playwright/test';

import { openSession, test } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { addTicket } from '../../helpers/tickets.ts';

// A photo of a phone, which Chromium does not show without the server's help.
const PHOTO = new URL('../../../crates/portaria/tests/it/storage/photo.heic', import.meta.url);

test('ticket pictures › are shown small, and large on request', async ({ page, app }) => {
  const client = await app.newClient('Fotos & Recibos Ltda');
  const id = await addTicket(app.portaria, client, { subject: 'Recibos' });
  await openSession(page, client);
  await page.goto(`/tickets/${id}`);
  await expect(page.getByLabel('Anexar arquivos')).toBeVisible();
  const shots = [await page.screenshot(), await page.screenshot({ fullPage: true })];
  await page
    .getByLabel('Anexar arquivos')
    .setInputFiles([
      ...shots.map((buffer, at) => ({ name: `recibo ${at + 1}.png`, mimeType: 'image/png', buffer })),
      { name: 'recibo 3.heic', mimeType: 'image/heic', buffer: await readFile(PHOTO) },
    ]);
  await page.getByLabel('Sua mensagem').fill('Seguem os recibos.');
  await page.getByRole('button', { name: 'Enviar resposta' }).click();
  await expect(page.getByText('Resposta enviada')).toBeVisible();
  await page.reload();
  const small = page.getByRole('button', { name: 'Ver recibo 1.png' });
  await small.click();
  const dialog = page.getByRole('dialog');
  const large = (name: string) => dialog.getByRole('img', { name });
  const width = (name: string) => large(name).evaluate((image: HTMLImageElement) => image.naturalWidth);
  await expect.poll(() => width('recibo 1.png')).toBeGreaterThan(100);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => width('recibo 2.png')).toBeGreaterThan(100);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => width('recibo 3.heic')).toBe(64);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(small).toBeFocused();
});
