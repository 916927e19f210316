// Whoever comes for the first time comes to sign in: that screen is fetched along with the app instead of after it.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { dist, reached, readChunks } from './chunks.ts';

const SCREEN = 'src/features/auth/client-login.tsx';

const file = path.join(dist, 'index.html');
const page = await readFile(file, 'utf8');
const links = reached(await readChunks(), [SCREEN])
  .filter((chunk) => !page.includes(chunk.file))
  .map((chunk) => `    <link rel="modulepreload" crossorigin href="/${chunk.file}">\n`);
const filled = page.replace('  </head>', `${links.join('')}  </head>`);
if (links.length === 0 || filled === page) throw new Error('The page has no place for what it preloads.');
await writeFile(file, filled);
