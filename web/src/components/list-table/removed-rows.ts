// Rows that a list no longer contains.

/**
 * The ids of the rows that have left a list between two readings of its first pages. Rows that newer ones have moved
 * beyond the pages that are read are still in the list.
 */
export function findRemovedRows(
  before: readonly string[],
  now: readonly string[],
  hasMore: boolean,
): Set<string> {
  const remaining = new Set(now);
  // As many newer rows came as were read before.
  if (hasMore && now.length > 0 && !before.some((id) => remaining.has(id))) return new Set();
  const last = now.at(-1);
  const end = hasMore && last !== undefined ? before.indexOf(last) + 1 : 0;
  const within = end === 0 ? before : before.slice(0, end);
  return new Set(within.filter((id) => !remaining.has(id)));
}
