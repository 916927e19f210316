/** A pattern for `ilike` that finds the words as typed, `%` and `_` included. */
export function ilikePattern(search: string): string {
  return `%${search.trim().replace(/[\\%_]/g, '\\$&')}%`;
}

/** A value as it must stand inside `or=(…)`, where commas and brackets would end it. */
export function quoteFilterValue(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
