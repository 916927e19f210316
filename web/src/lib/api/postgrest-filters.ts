// PostgREST filters: escaping of search texts and values.
/** A pattern for `ilike` that matches the search text literally, including `%` and `_`. */
export function ilikePattern(search: string): string {
  return `%${search.trim().replace(/[\\%_]/g, '\\$&')}%`;
}

/** Quotes a value for use inside `or=(…)`, where commas and parentheses are syntax. */
export function quoteFilterValue(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
