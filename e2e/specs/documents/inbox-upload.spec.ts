// Uploads to the inbox over a network that fails: they wait, and continue after the bytes that the server has.

import { writeFile } from 'node:fs/promises';

import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, test, type TestApp } from '../../fixtures/test.ts';
import { unwrap } from '../../helpers/api.ts';
import { sha256 } from '../../helpers/pdf.ts';

const PART_BYTES = 1024 ** 2;
const PARTS = 5;
const WAITS = 'Sem conexão. O envio continua de onde parou quando a rede voltar.';

/** A text of several parts, of which no two are equal. */
function longText(title: string): Buffer {
  const lines = Array.from({ length: (PARTS * PART_BYTES) / 32 }, (_, line) =>
    `${title} ${line} ${'.'.repeat(32)}`.slice(0, 31),
  );
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

const dropzone = (page: Page) => page.getByLabel('Arquivos', { exact: true });

async function openInbox(page: Page): Promise<void> {
  await signInAsAdmin(page);
  await page.goto('/admin/documents/bulk?grupo=no_owner');
  await expect(page.getByRole('heading', { level: 1, name: 'Caixa de entrada' })).toBeVisible();
}

/** The parts that the page sends, by their offset. `act` runs instead of the request with the third part, once. */
async function watchParts(page: Page, act: () => Promise<void>) {
  const sent: number[] = [];
  let isCut = false;
  await page.route(/\/storage\/v1\/upload\/resumable\/./, async (route) => {
    const request = route.request();
    if (request.method() !== 'PATCH') return route.continue();
    const offset = Number(await request.headerValue('upload-offset'));
    if (offset === 2 * PART_BYTES && !isCut) {
      isCut = true;
      await act();
      return route.abort('internetdisconnected');
    }
    sent.push(offset / PART_BYTES);
    return route.continue();
  });
  return sent;
}

/** Expects a file in the inbox once, with these bytes. */
async function expectStored(app: TestApp, name: string, bytes: Buffer): Promise<void> {
  const [file, ...others] = await unwrap(app.admin.from('inbox_files').select('file_url').eq('name', name));
  expect(others).toEqual([]);
  const stored = await unwrap(app.admin.storage.from('inbox').download(String(file?.file_url)));
  expect(sha256(await stored.bytes())).toBe(sha256(bytes));
}

test('inbox › an upload that loses the network continues when it returns', async ({ page, context, app }) => {
  const bytes = longText('Estoque');
  await openInbox(page);
  const sent = await watchParts(page, () => context.setOffline(true));
  await dropzone(page).setInputFiles([
    { name: 'inventário.txt', mimeType: 'text/plain', buffer: bytes },
    { name: 'curto.txt', mimeType: 'text/plain', buffer: Buffer.from('Um aviso curto') },
  ]);
  await expect(page.getByText(WAITS)).toBeVisible();
  expect(sent).toEqual([0, 1]);
  await dropzone(page).setInputFiles({
    name: 'sem rede.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('Um aviso que foi solto sem rede'),
  });
  await context.setOffline(false);
  for (const name of ['inventário.txt', 'curto.txt', 'sem rede.txt']) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- the page shows all of them.
    await expect(page.getByRole('row', { name })).toBeVisible({ timeout: 30_000 });
  }
  await expect(page.getByText(WAITS)).toBeHidden();
  await expect(page.getByText(/não (foi|foram) enviado/)).toBeHidden();
  expect(sent).toEqual([0, 1, 2, 3, 4]);
  await expectStored(app, 'inventário.txt', bytes);
});

test('inbox › a file that is chosen again after a reload continues', async ({ page, app }, testInfo) => {
  const bytes = longText('Contas');
  const file = testInfo.outputPath('balanço.txt');
  await writeFile(file, bytes);
  await openInbox(page);
  const { promise: third, resolve: markThird } = Promise.withResolvers<void>();
  // The reload ends the request, so its answer never comes.
  const before = await watchParts(page, async () => {
    markThird();
    await new Promise(() => {});
  });
  await dropzone(page).setInputFiles(file);
  await third;
  await expect(page.getByRole('progressbar', { name: 'Enviando 0 de 1' })).toHaveAttribute(
    'aria-valuenow',
    '40',
  );
  expect(before).toEqual([0, 1]);
  const stored = await page.evaluate(() => JSON.stringify(localStorage));
  expect(stored).not.toContain('balanço');

  await page.reload();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const after: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/upload/resumable')) after.push(request.method());
  });
  await dropzone(page).setInputFiles(file);
  await expect(page.getByRole('row', { name: 'balanço.txt' })).toBeVisible({ timeout: 30_000 });
  expect(after).toEqual(['HEAD', 'PATCH', 'PATCH', 'PATCH']);
  await expectStored(app, 'balanço.txt', bytes);

  // A complete upload is forgotten: the file can be sent again.
  await dropzone(page).setInputFiles(file);
  await expect(page.getByRole('row', { name: 'balanço.txt' })).toHaveCount(2, { timeout: 30_000 });
});

/** More files than an office sends at once. */
const MANY = 1_001;

test('inbox › more than 1,000 files are all sent', async ({ page }) => {
  await openInbox(page);
  const names = new Set<string>();
  // The server reads each file, which takes minutes for a thousand files.
  await page.route('**/storage/v1/object/inbox/*', (route) => {
    names.add(/"name":"([^"]+)"/.exec(route.request().postData() ?? '')?.[1] ?? '');
    return route.fulfill({ json: { Id: '', Key: '' } });
  });
  const files = Array.from({ length: MANY }, (_, at) => ({
    name: `aviso ${at + 1}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(`Aviso número ${at + 1}`),
  }));
  await dropzone(page).setInputFiles(files);
  await expect(page.getByText(/^São 1\.001 arquivos, e todos serão enviados/)).toBeVisible();
  await expect(page.getByRole('progressbar')).toBeHidden({ timeout: 60_000 });
  expect(names.size).toBe(MANY);
  await expect(page.getByText(/não (foi|foram) enviado/)).toBeHidden();
});
