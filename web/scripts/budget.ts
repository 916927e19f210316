// Holds the promise of a light first load: what each client screen needs before it shows, compressed.
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';

import { clientScreens, dist, manifestFile, reached, readChunks } from './chunks.ts';

const MOST_BYTES = 150_000;
// A form behind the sign-in is reached from a screen that is already there: the libraries of forms and schemas come on top.
const FORMS_BYTES = 18_000;
const SHELL = 'src/app/client-shell.tsx';

const chunks = await readChunks();
let isOver = false;
for (const { name, starts } of await clientScreens()) {
  const scripts = reached(chunks, starts).map((chunk) => chunk.file);
  const hasForm = starts.includes(SHELL) && scripts.some((file) => /(?:forms|schemas)-/.test(file));
  const most = MOST_BYTES + (hasForm ? FORMS_BYTES : 0);
  const sizes = await Promise.all([...new Set(scripts)].map((file) => compressedSize(file)));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  isOver ||= bytes > most;
  console.log(`${(bytes / 1000).toFixed(1).padStart(6)} kB  ${name}${bytes > most ? '  TOO LARGE' : ''}`);
}
// It was for us, not for the browser.
await rm(path.dirname(manifestFile), { recursive: true });
if (isOver) throw new Error('A client screen loads more JavaScript first than it may.');

async function compressedSize(file: string): Promise<number> {
  const whole = path.join(dist, file);
  return (await stat(`${whole}.br`).catch(() => stat(whole))).size;
}
