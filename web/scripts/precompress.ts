// Writes a Brotli copy of every compressible file of `dist`, so the server does not compress at run time.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

const dist = path.join(import.meta.dirname, '..', 'dist');
const compressible = /\.(?:js|mjs|css|html|svg|json|wasm|bcmap|pfb|ttf|txt|webmanifest)$/;
const brotli = promisify(brotliCompress);

let originalBytes = 0;
let compressedBytes = 0;
for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !compressible.test(entry.name)) continue;
  const file = path.join(entry.parentPath, entry.name);
  const bytes = await readFile(file);
  const compressed = await brotli(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
  if (compressed.length < bytes.length) {
    await writeFile(`${file}.br`, compressed);
    originalBytes += bytes.length;
    compressedBytes += compressed.length;
  } else {
    await rm(`${file}.br`, { force: true });
  }
}
const kib = (bytes: number) => `${Math.round(bytes / 1024)} KiB`;
console.log(`precompressed ${kib(originalBytes)} to ${kib(compressedBytes)}`);
