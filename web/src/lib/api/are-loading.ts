// The first load of several queries.

type Loading = { isLoading: boolean; failureCount: number };

/**
 * Whether lists that are shown together are still loaded for the first time. A list that failed once, or waits for the
 * network, does not hold up the others.
 */
export function areLoading(queries: readonly Loading[]): boolean {
  return queries.some(({ isLoading, failureCount }) => isLoading && failureCount === 0);
}
