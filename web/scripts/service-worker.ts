// Writes the files of the portal's app shell, and a cache name derived from their content, into the service worker.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { clientScreens, dist, collectChunks, readChunks, manifestKeys } from './chunks.ts';

const PAGES = ['/', '/config.json', '/boot.js', '/favicon.svg'];

// Dynamic imports of the portal's own modules are cached too, and those that its pages load when they are idle or without
// a network, also the pages of the guide, but not the document viewer, which needs the network.
const isPortal = (chunk: string) => /^src\/features\/[\w-]+\/portal\//.test(chunk);
const LOADED_LATER = [
  'src/app/background-work.ts',
  'src/app/layouts/portal-tools.tsx',
  'src/features/auth/schemas.ts',
  'src/lib/api/auth-client.ts',
  'src/components/offline-note.tsx',
  'src/features/folders/components/folder-badge.tsx',
  'src/features/members/components/people-card.tsx',
  'src/features/offline/components/data-time.tsx',
  'src/features/tickets/queue/queue-ticket.ts',
  'src/features/tickets/queue/send-queued-tickets.ts',
];
/** The name of a chunk that has no key, because a page of the back office imports it statically. */
const OFFICE_COLORS = 'office-colors';
const isGuide = (chunk: string) => chunk.startsWith('../docs/guia/');
const isInShell = (chunk: string) =>
  isPortal(chunk) || isGuide(chunk) || LOADED_LATER.includes(chunk) || chunks[chunk]?.name === OFFICE_COLORS;

const chunks = await readChunks();
if (!Object.values(chunks).some(({ name }) => name === OFFICE_COLORS)) {
  throw new Error(`The build made no chunk named ${OFFICE_COLORS}.`);
}
for (const key of LOADED_LATER) if (!chunks[key]) throw new Error(`The build made no chunk of ${key}.`);
const screens = clientScreens();
for (const { audience, page } of screens) {
  if (isPortal(page) !== (audience === 'client')) throw new Error(`${page} is in the wrong folder.`);
}
const files = collectChunks(chunks, screens.flatMap(manifestKeys), isInShell).flatMap((chunk) => [
  chunk.file,
  ...(chunk.css ?? []),
  ...(chunk.assets ?? []).filter((asset) => asset.includes('inter-latin-wght')),
]);
const shell = [...PAGES, ...[...new Set(files)].map((file) => `/${file}`).toSorted()];

const script = path.join(dist, 'sw.js');
const page = await readFile(path.join(dist, 'index.html'));
const source = await readFile(script, 'utf8');
const fingerprint = createHash('sha256').update(source).update(page).update(shell.join()).digest('hex');
const filled = source
  .replace('const FILES = [];', `const FILES = ${JSON.stringify(shell)};`)
  .replace("'shell-'", `'shell-${fingerprint.slice(0, 16)}'`);
if (!filled.includes(`shell-${fingerprint.slice(0, 16)}`) || !filled.includes('/boot.js')) {
  throw new Error('sw.js has no place for its files.');
}
await writeFile(script, filled);
console.log(`the shell is ${shell.length} files`);
