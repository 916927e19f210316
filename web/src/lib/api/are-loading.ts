// The first load of several queries.

type Loading = { isLoading: boolean; failureCount: number; errorUpdateCount: number };

/**
 * Whether a list is still loading for the first time, so that the lists beside it wait. One that has failed, or waits for
 * the network, does not hold up the others, also while it is read again.
 */
export function areLoading(queries: readonly Loading[]): boolean {
  return queries.some(
    ({ isLoading, failureCount, errorUpdateCount }) =>
      isLoading && failureCount === 0 && errorUpdateCount === 0,
  );
}
