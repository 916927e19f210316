// Search that ignores case and accents: `joao` matches "João". The filters of the REST API distinguish accents.

/** Removes accents and converts to lowercase. */
export function foldAccents(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** Whether a text contains the search text, ignoring case and accents. */
export function matchesSearch(text: string, search: string): boolean {
  return foldAccents(text).includes(foldAccents(search.trim()));
}

/** Whether a text contains all words of the search text, in any order, ignoring case and accents. */
export function matchesWords(text: string, search: string): boolean {
  return search.split(/\s+/).every((word) => matchesSearch(text, word));
}

/** The accented forms of letters in Portuguese and in names of its neighbors. */
const ACCENTED: Readonly<Record<string, string>> = {
  a: 'àáâãä',
  c: 'ç',
  e: 'èéêë',
  i: 'ìíîï',
  n: 'ñ',
  o: 'òóôõö',
  u: 'ùúûü',
};

/** Maximum number of characters that are searched for. The server takes regular expressions of up to 256 characters. */
const MAX_SEARCH_LENGTH = 32;

/** A regular expression for `imatch` that matches the beginning of the search text literally, with any accents. */
export function accentInsensitiveRegex(search: string): string {
  return foldAccents(search.trim())
    .slice(0, MAX_SEARCH_LENGTH)
    .replaceAll(/[$()*+.?[\\\]^{|}aceinou]/g, (character) => {
      const accented = ACCENTED[character];
      return accented === undefined ? `\\${character}` : `[${character}${accented}]`;
    });
}
