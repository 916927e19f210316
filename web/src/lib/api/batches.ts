// Lists and selections of any length, in several requests.

/** `limit` is the maximum number of rows. */
export type PageRequest = { offset: number; limit: number; signal: AbortSignal };
/** Reads the rows of a list from an offset on. */
export type PageReader<Row> = (page: PageRequest) => Promise<Row[]>;

/** Number of rows per request when all rows of a list are read. */
const BATCH_SIZE = 200;

/** All rows of a list, in batches. */
export async function* iteratePages<Row>(read: PageReader<Row>, signal: AbortSignal): AsyncGenerator<Row[]> {
  for (let offset = 0; ; offset += BATCH_SIZE) {
    const rows = await read({ offset, limit: BATCH_SIZE, signal });
    yield rows;
    if (rows.length < BATCH_SIZE) return;
  }
}

/** Splits a list into parts, each for one request. */
export function batches<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}
