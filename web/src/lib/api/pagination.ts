// Pagination of lists by offset.

export const PAGE_SIZE = 50;

/** The offset of the next page, or undefined if the last page is not full. */
export function getNextOffset(
  lastPage: readonly unknown[],
  _pages: unknown,
  offset: number,
): number | undefined {
  return lastPage.length < PAGE_SIZE ? undefined : offset + PAGE_SIZE;
}

/**
 * Fetches all rows of a query, `size` rows per request. Use it only for lists of bounded length, such as the data of
 * one client.
 */
export async function fetchAllPages<Row>(
  page: (from: number, to: number) => PromiseLike<{ data: Row[] }>,
  size = 1000,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const { data } = await page(rows.length, rows.length + size - 1);
    rows.push(...data);
    if (data.length < size) return rows;
  }
}
