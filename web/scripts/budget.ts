// Checks the bundle budget: the compressed JavaScript that each page loads before its first render.
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';

import {
  adminScreens,
  clientScreens,
  dist,
  manifestFile,
  collectChunks,
  readChunks,
  manifestKeys,
} from './chunks.ts';
import type { Screen } from './route-table.ts';

const CLIENT_BYTES = 120_000;
// Additional bytes by chunk, for pages behind the sign-in that a visitor opens from a page that is already loaded: those
// with a form or a draft, and the page of a document.
const EXTRA_BYTES = { forms: 19_500, schemas: 7_500, 'use-reply': 8_000, 'document-viewer': 3_700 };
const ADMIN_BYTES = 350_000;

const chunks = await readChunks();
for (const name of Object.keys(EXTRA_BYTES)) {
  if (!Object.values(chunks).some((chunk) => chunk.name === name)) {
    throw new Error(`The build made no chunk named ${name}.`);
  }
}
let isOver = false;
for (const screen of [...clientScreens(), ...adminScreens()]) {
  const loaded = collectChunks(chunks, manifestKeys(screen));
  const sizes = await Promise.all([...new Set(loaded.map(({ file }) => file))].map(compressedSize));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes === 0) throw new Error(`Nothing was measured for ${screen.page}.`);
  const isTooLarge = bytes > maxBytes(screen, loaded);
  isOver ||= isTooLarge;
  const name = screen.page.replace(/^src\/|\.tsx?$/g, '');
  console.log(`${(bytes / 1000).toFixed(1).padStart(6)} kB  ${name}${isTooLarge ? '  TOO LARGE' : ''}`);
}
// Only the build scripts need the manifest.
await rm(path.dirname(manifestFile), { recursive: true });
if (isOver) throw new Error('A screen loads more JavaScript first than its budget allows.');

function maxBytes({ audience }: Screen, loaded: readonly { name?: string }[]): number {
  if (audience === 'admin') return ADMIN_BYTES;
  if (audience !== 'client') return CLIENT_BYTES;
  return Object.entries(EXTRA_BYTES)
    .filter(([chunk]) => loaded.some(({ name }) => name === chunk))
    .reduce((sum, [, extra]) => sum + extra, CLIENT_BYTES);
}

async function compressedSize(file: string): Promise<number> {
  const original = path.join(dist, file);
  return (await stat(`${original}.br`).catch(() => stat(original))).size;
}
