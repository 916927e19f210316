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

const CLIENT_BYTES = 153_500;
// Additional bytes for pages with a form behind the sign-in, which a visitor opens from a page that is already loaded.
const FORMS_BYTES = 18_000;
const FORM_CHUNKS = ['forms', 'schemas'];
const ADMIN_BYTES = 350_000;

const chunks = await readChunks();
for (const name of FORM_CHUNKS) {
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
  const hasForm = loaded.some(({ name = '' }) => FORM_CHUNKS.includes(name));
  return CLIENT_BYTES + (audience === 'client' && hasForm ? FORMS_BYTES : 0);
}

async function compressedSize(file: string): Promise<number> {
  const original = path.join(dist, file);
  return (await stat(`${original}.br`).catch(() => stat(original))).size;
}
