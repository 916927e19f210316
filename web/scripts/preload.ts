// Preloads the sign-in screen: a first visit begins there, and its chunks are fetched along with the app instead of
// after it.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { clientScreens, dist, reached, readChunks } from './chunks.ts';

const signIn = clientScreens().find(({ pattern }) => pattern === 'login');
if (!signIn) throw new Error('The route table has no sign-in screen.');

const file = path.join(dist, 'index.html');
const page = await readFile(file, 'utf8');
const links = reached(await readChunks(), [signIn.page])
  .filter((chunk) => !page.includes(chunk.file))
  .map((chunk) => `    <link rel="modulepreload" crossorigin href="/${chunk.file}">\n`);
const filled = page.replace('  </head>', `${links.join('')}  </head>`);
if (links.length === 0 || filled === page) throw new Error('The page has no place for what it preloads.');
await writeFile(file, filled);
