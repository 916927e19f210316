// What the build made of each screen: the files that it loads, as the build's own manifest tells it.
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export const web = path.join(import.meta.dirname, '..');
export const dist = path.join(web, 'dist');
export const manifestFile = path.join(dist, '.vite', 'manifest.json');

type Chunk = {
  file: string;
  css?: string[];
  assets?: string[];
  imports?: string[];
  dynamicImports?: string[];
};
export type Chunks = Record<string, Chunk>;

const ENTRY = 'index.html';
const CLIENT_SHELL = 'src/app/client-shell.tsx';

export async function readChunks(): Promise<Chunks> {
  return JSON.parse(await readFile(manifestFile, 'utf8'));
}

/** The screens that a client sees, each with the chunks that it starts from. */
export async function clientScreens(): Promise<{ name: string; starts: string[] }[]> {
  const routes = await readFile(path.join(web, 'src/routes.tsx'), 'utf8');
  const screens = [...routes.matchAll(/import\('~\/(features\/(auth|client)\/[\w-]+)'\)/g)];
  return screens.map(([, name = '', area]) => ({
    name,
    starts: [ENTRY, ...(area === 'client' ? [CLIENT_SHELL] : []), `src/${name}.tsx`],
  }));
}

/** The chunks that come along with these: what they import and, if asked, what they may import later. */
export function reached(
  chunks: Chunks,
  starts: readonly string[],
  later: (key: string) => boolean = () => false,
): Chunk[] {
  const seen = new Map<string, Chunk>();
  const visit = (key: string) => {
    if (seen.has(key)) return;
    const chunk = chunks[key];
    if (!chunk) throw new Error(`The build made no chunk of ${key}.`);
    seen.set(key, chunk);
    chunk.imports?.forEach(visit);
    chunk.dynamicImports?.filter(later).forEach(visit);
  };
  starts.forEach(visit);
  return [...seen.values()];
}
