// The chunks of each screen, from the build manifest.
import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { readScreens, type Screen, web } from './route-table.ts';

export const dist = path.join(web, 'dist');
export const manifestFile = path.join(dist, '.vite', 'manifest.json');

type Chunk = {
  file: string;
  name?: string;
  css?: string[];
  assets?: string[];
  imports?: string[];
  dynamicImports?: string[];
};
export type Chunks = Record<string, Chunk>;

const ENTRY = 'index.html';

export async function readChunks(): Promise<Chunks> {
  return JSON.parse(await readFile(manifestFile, 'utf8'));
}

/** The screens outside the back office. */
export function clientScreens(): Screen[] {
  return readScreens().filter(({ audience }) => audience !== 'admin');
}

/** The screens of the back office. */
export function adminScreens(): Screen[] {
  return readScreens().filter(({ audience }) => audience === 'admin');
}

/** The manifest keys of a screen: the entry point, its layouts and its page. */
export function manifestKeys({ layouts, page }: Screen): string[] {
  return [ENTRY, ...layouts, page];
}

/**
 * The chunks of the given keys and all their static imports. Dynamic imports are included if `includeDynamic` returns
 * true.
 */
export function collectChunks(
  chunks: Chunks,
  keys: readonly string[],
  includeDynamic: (key: string) => boolean = () => false,
): Chunk[] {
  const seen = new Map<string, Chunk>();
  const visit = (key: string) => {
    if (seen.has(key)) return;
    const chunk = chunks[key];
    if (!chunk) throw new Error(`The build made no chunk of ${key}.`);
    seen.set(key, chunk);
    chunk.imports?.forEach(visit);
    chunk.dynamicImports?.filter(includeDynamic).forEach(visit);
  };
  keys.forEach(visit);
  return [...seen.values()];
}
