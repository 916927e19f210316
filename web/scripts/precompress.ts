// Writes a brotli copy beside every compressible file of `dist`, so the server never compresses at run time.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

const dist = path.join(import.meta.dirname, '..', 'dist');
const compressible = /\.(?:js|mjs|css|html|svg|json|wasm|bcmap|pfb|ttf|txt|webmanifest)$/;
const brotli = promisify(brotliCompress);

let before = 0;
let after = 0;
for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !compressible.test(entry.name)) continue;
  const file = path.join(entry.parentPath, entry.name);
  const bytes = await readFile(file);
  const small = await brotli(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
  if (small.length < bytes.length) {
    await writeFile(`${file}.br`, small);
    before += bytes.length;
    after += small.length;
  } else {
    await rm(`${file}.br`, { force: true });
  }
}
const kib = (bytes: number) => `${Math.round(bytes / 1024)} KiB`;
console.log(`precompressed ${kib(before)} to ${kib(after)}`);
