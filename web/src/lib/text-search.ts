// Search that ignores case and accents: `joao` matches "João". The filters of the REST API distinguish accents.

/** Removes accents and converts to lowercase. */
export function foldAccents(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** Whether a text contains the search text, ignoring case and accents. */
export function matchesSearch(text: string, search: string): boolean {
  return foldAccents(text).includes(foldAccents(search.trim()));
}

/**
 * A pattern for `ilike` that matches the search text with any accents. Each letter that can have an accent in Portuguese
 * becomes a wildcard, so the result also contains false matches. Filter it with `matchesSearch`.
 */
export function accentInsensitivePattern(search: string): string {
  return `%${foldAccents(search.trim())
    .replaceAll(/[\\%_]/g, '\\$&')
    .replaceAll(/[aceinou]/g, '_')}%`;
}
