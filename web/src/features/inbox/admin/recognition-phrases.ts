// Phrases of rules, one in each line of a field.

const MAX_PHRASES = 5;
const MIN_CHARS = 3;
const MAX_CHARS = 80;

/** Returns the lines of a text without surrounding spaces, blank lines and repetitions. */
export function splitPhrases(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** Returns the reason why the server would refuse the phrases. */
export function findPhraseError(phrases: readonly string[]): string | undefined {
  if (phrases.length > MAX_PHRASES) return `No máximo ${MAX_PHRASES} expressões.`;
  const bad = phrases.find((phrase) => countLetters(phrase) < MIN_CHARS || phrase.length > MAX_CHARS);
  if (bad === undefined) return undefined;
  return `“${bad.slice(0, 30)}” precisa ter de ${MIN_CHARS} a ${MAX_CHARS} letras ou números.`;
}

/** Counts letters and digits. */
function countLetters(phrase: string): number {
  return phrase.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
