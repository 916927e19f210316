// Removals of many rows. A request for all of them would keep the writes of other people waiting.
import { batches } from '~/lib/api/batches';

/** Number of removed rows. An error ended the removal; the rows that were removed before stay removed. */
export type Removal = { count: number; error?: unknown };

/** Maximum number of rows in one response of the server. */
const PAGE_SIZE = 1000;
/** Maximum number of rows in one request. Their ids are in its URL. */
const BATCH_SIZE = 100;

/** All ids of a table. `read` returns the first `limit` ids after an id, in ascending order. */
export async function fetchAllIds(
  read: (after: string | undefined, limit: number) => PromiseLike<{ data: { id: string }[] }>,
): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    // Keyset pagination: rows that others remove meanwhile do not shift the pages.
    // oxlint-disable-next-line no-await-in-loop
    const { data } = await read(ids.at(-1), PAGE_SIZE);
    ids.push(...data.map(({ id }) => id));
    if (data.length < PAGE_SIZE) return ids;
  }
}

/** Removes rows in batches, until one fails. `remove` returns the number of rows that it removed. */
export async function removeInBatches(
  ids: readonly string[],
  remove: (batch: readonly string[]) => Promise<number>,
): Promise<Removal> {
  let count = 0;
  try {
    for (const batch of batches(ids, BATCH_SIZE)) count += await remove(batch);
  } catch (error) {
    return { count, error };
  }
  return { count };
}
