// Drop zones, file inputs and progress bars.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, type Locator, type TestInfo } from '@playwright/test';

import { piece, test } from '../../fixtures/gallery.ts';

/** Drops files or folders of the disk on an element, as a person drags them from a file manager. */
async function drop(target: Locator, files: string[]): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (!box) throw new Error('The element is hidden.');
  const session = await target.page().context().newCDPSession(target.page());
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    const data = { items: [], files, dragOperationsMask: 1 };
    await session.send('Input.dispatchDragEvent', { type, x, y, data });
  }
  await session.detach();
}

/** Writes empty files and returns their paths. A name may contain folders. */
async function createFiles(testInfo: TestInfo, ...names: string[]): Promise<string[]> {
  const folder = testInfo.outputPath('files');
  const paths = names.map((name) => join(folder, name));
  for (const path of paths) {
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, '%PDF-1.4');
  }
  return paths;
}

test('drop zone › takes a file from the picker, also the same one again', async ({ page }, testInfo) => {
  const section = piece(page, 'dropzone');
  const field = section.getByLabel('Contrato');
  const [file = ''] = await createFiles(testInfo, 'contrato.pdf');
  const choose = async () => {
    const chooser = page.waitForEvent('filechooser');
    // The whole zone is a part of the field.
    await section.getByText('PDF, até 50 MB').first().click({ force: true });
    await (await chooser).setFiles(file);
  };
  await choose();
  await expect(section.getByRole('status')).toHaveText('contrato.pdf');
  await expect(field).toHaveValue('');
  await drop(field, await createFiles(testInfo, 'a.pdf', 'b.pdf'));
  await choose();
  await expect(section.getByRole('status')).toHaveText('contrato.pdf');
});

test('drop zone › takes a dropped file, and refuses several and folders', async ({ page }, testInfo) => {
  const section = piece(page, 'dropzone');
  const field = section.getByLabel('Contrato');
  const received = section.getByRole('status');
  const files = await createFiles(testInfo, 'um.pdf', 'dois.pdf', 'pasta/três.pdf');
  await drop(field, files.slice(0, 1));
  await expect(received).toHaveText('um.pdf');
  await drop(field, files.slice(0, 2));
  await expect(received).toHaveText('Envie um arquivo de cada vez.');
  await drop(field, [testInfo.outputPath('files', 'pasta')]);
  await expect(received).toHaveText('Escolha um arquivo, não uma pasta.');
});

test('drop zone › takes the files of dropped folders at any depth', async ({ page }, testInfo) => {
  const section = piece(page, 'dropzone');
  const [single = ''] = await createFiles(testInfo, 'solta.pdf', 'mês/das.pdf', 'mês/notas/nota 1.pdf');
  await drop(section.getByLabel('Notas do mês'), [single, testInfo.outputPath('files', 'mês')]);
  const received = await section.getByRole('status').textContent();
  expect(received?.split(', ').toSorted()).toEqual(['das.pdf', 'nota 1.pdf', 'solta.pdf']);
});

test('drop zone › a disabled one takes nothing, and an error is read with the field', async ({
  page,
}, testInfo) => {
  const section = piece(page, 'dropzone');
  await expect(section.getByLabel('Comprovante')).toHaveAccessibleDescription('Escolha um arquivo.');
  const disabled = section.getByLabel('Extrato');
  await expect(disabled).toBeDisabled();
  const files = await createFiles(testInfo, 'extrato.pdf');
  await drop(disabled, files);
  // A drop that is taken would show before the next one.
  await drop(section.getByLabel('Comprovante'), files);
  await expect(section.getByRole('status')).toHaveText(['extrato.pdf']);
});

test('file input › shows name and size of its file, and removes it', async ({ page }) => {
  const section = piece(page, 'file-input');
  const field = section.getByLabel('Arquivo do documento');
  await field.setInputFiles({
    name: 'balanço.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.alloc(2.4 * 1024 * 1024),
  });
  await expect(section.getByText('balanço.pdf', { exact: true })).toBeVisible();
  await expect(section.getByText('2,4 MB')).toBeVisible();
  await section.getByRole('button', { name: 'Remover balanço.pdf' }).press('Enter');
  await expect(section.getByText('balanço.pdf', { exact: true })).toHaveCount(0);
});

test('file input › a disabled one keeps its file', async ({ page }) => {
  const section = piece(page, 'file-input');
  await expect(section.getByLabel('Arquivo em envio')).toBeDisabled();
  const remove = section.getByRole('button', { name: 'Remover em envio.pdf' });
  await remove.press('Enter');
  await expect(remove).toBeVisible();
  await expect(section.getByLabel('Arquivo da guia')).toHaveAccessibleDescription('Escolha um arquivo.');
});

test('progress bar › says how much is done', async ({ page }) => {
  const section = piece(page, 'progress-bar');
  for (const [name, value] of [
    ['contrato.pdf', 0],
    ['balanço.pdf', 43],
    ['guia.pdf', 100],
  ] as const) {
    const bar = section.getByRole('progressbar', { name: `Enviando ${name}` });
    await expect(bar).toHaveAttribute('aria-valuenow', String(value));
    await expect(section.getByText(`${value}%`, { exact: true })).toBeVisible();
    const [whole, done] = [await bar.boundingBox(), await bar.locator('div').boundingBox()];
    expect((done?.width ?? 0) / (whole?.width ?? 1)).toBeCloseTo(value / 100, 1);
  }
});
