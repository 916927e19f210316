// Adds preload links for the chunks of the sign-in page to `index.html`. The first visit begins on that page, so the
// browser fetches the chunks in parallel with the entry point.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { clientScreens, dist, collectChunks, readChunks } from './chunks.ts';

const signIn = clientScreens().find(({ pattern }) => pattern === 'login');
if (!signIn) throw new Error('The route table has no sign-in screen.');

const file = path.join(dist, 'index.html');
const page = await readFile(file, 'utf8');
const links = collectChunks(await readChunks(), [signIn.page])
  .filter((chunk) => !page.includes(chunk.file))
  .map((chunk) => `    <link rel="modulepreload" crossorigin href="/${chunk.file}">\n`);
const updated = page.replace('  </head>', `${links.join('')}  </head>`);
if (links.length === 0 || updated === page) throw new Error('The page has no place for what it preloads.');
await writeFile(file, updated);
