import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

const web = path.dirname(import.meta.dirname);
const read = (...file: string[]) => readFile(path.join(web, ...file), 'utf8');

test('the service worker names every folder that the server answers itself', async () => {
  const router = await read('..', 'crates', 'portaria', 'src', 'http', 'router.rs');
  const [, routes = ''] = /pub fn router(.*?)\n\}/su.exec(router) ?? [];
  const folders = [...routes.matchAll(/\.(?:nest|route)\(\s*"\/([a-z-]+)\//gu)].map((match) => match[1]);
  const [, named = ''] = /SERVER_PATHS = .*?\(\?:([a-z|-]+)\)/u.exec(await read('public', 'sw.js')) ?? [];
  // `/setup` is a page as well; only its `POST` is the server's.
  expect(new Set(named.split('|'))).toEqual(new Set(folders.filter((name) => name !== 'setup')));
});
