// Archives of Office files, within limits.
import { unzipSync } from 'fflate';

import { PreviewRefusedError } from './preview';

/** Maximum size of all unpacked entries. A spreadsheet of 100,000 cells has about 5 MB. */
const MAX_UNPACKED_BYTES = 40 * 1024 * 1024;
const MAX_ENTRIES = 2_000;

/**
 * Unpacks the chosen entries. The sizes that the archive declares are summed before an entry is unpacked, and the library
 * writes no more bytes than are declared.
 *
 * @throws {PreviewRefusedError}
 */
export function unpack(
  archive: Uint8Array,
  isWanted: (name: string) => boolean,
): Record<string, Uint8Array<ArrayBuffer>> {
  let [entries, bytes] = [0, 0];
  return unzipSync(archive, {
    filter({ name, originalSize }) {
      entries += 1;
      if (!isWanted(name)) return false;
      bytes += originalSize;
      if (entries > MAX_ENTRIES || bytes > MAX_UNPACKED_BYTES) throw new PreviewRefusedError('too-large');
      return true;
    },
  });
}
