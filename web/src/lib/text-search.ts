// People type `joao` and mean João. The table interface compares accents, so what we can, we even out here.

/** Without accents and capitals, as people search. */
export function foldAccents(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** Whether a text contains the words typed, accents and capitals aside. */
export function matchesSearch(text: string, search: string): boolean {
  return foldAccents(text).includes(foldAccents(search.trim()));
}

/**
 * A pattern for `ilike` that finds the words typed with any accents, and more besides: each letter that may bear an
 * accent in Portuguese stands for any letter. What comes back must still pass `foundIn`.
 */
export function accentInsensitivePattern(search: string): string {
  return `%${foldAccents(search.trim())
    .replaceAll(/[\\%_]/g, '\\$&')
    .replaceAll(/[aceinou]/g, '_')}%`;
}
