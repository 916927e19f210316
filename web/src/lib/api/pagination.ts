// Long lists are read in pages, and searched on the server.

export const PAGE_SIZE = 50;

/** The first row of the page after these, or nothing when the last page came back short. */
export function getNextOffset(
  lastPage: readonly unknown[],
  _pages: unknown,
  offset: number,
): number | undefined {
  return lastPage.length < PAGE_SIZE ? undefined : offset + PAGE_SIZE;
}

/** Reads every row of a query in as many requests as it takes. Only for lists that a person's own data bounds. */
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
