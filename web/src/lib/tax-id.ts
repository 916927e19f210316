// Brazilian tax ids: CPF (people) and CNPJ (companies). Since 2026 a CNPJ may contain letters.

/** A tax id with valid check digits, without punctuation. */
export type TaxId = string & { readonly __taxId: unique symbol };

const CPF = /^\d{11}$/;
const CNPJ = /^[\dA-Z]{12}\d{2}$/;
const CPF_LENGTH = 11;

/** The separator of the groups of a tax id in texts and file names: `11.222.333-0001-81`, `11 222 333 / 0001-81`. */
const SEPARATOR = String.raw`(?:\s?[._\-‐–—/∕⁄:]\s?|\s)?`;
// Candidates. They may overlap. Digits may touch letters: `CNPJ11222333000181.pdf`.
const CANDIDATES = [
  matchGroups(String.raw`\d`, [3, 3, 3, 2]),
  matchGroups(String.raw`\d`, [2, 3, 3, 4, 2]),
  matchGroups(String.raw`[\dA-Z]`, [2, 3, 3, 4, 2]),
];

/** Parses user input. Returns null if it is not a valid tax id. */
export function parseTaxId(text: string): TaxId | null {
  const normalized = text.replaceAll(/[\s./-]/g, '').toUpperCase();
  return isTaxId(normalized) ? normalized : null;
}

/** Returns the distinct tax ids in a text or file name, with or without punctuation. */
export function extractTaxIds(text: string): TaxId[] {
  const normalized = text.normalize('NFKC').toUpperCase();
  const found = CANDIDATES.flatMap((pattern) =>
    [...normalized.matchAll(pattern)].map(([, candidate = '']) =>
      parseTaxId(candidate.replaceAll(/[^\dA-Z]/g, '')),
    ),
  );
  return [...new Set(found.filter((taxId) => taxId !== null))];
}

/** Adds the punctuation: `123.456.789-09`, `12.ABC.345/01DE-35`. */
export function formatTaxId(taxId: TaxId): string {
  return taxId.length === CPF_LENGTH
    ? taxId.replace(/^(.{3})(.{3})(.{3})(.{2})$/, '$1.$2.$3-$4')
    : taxId.replace(/^(.{2})(.{3})(.{3})(.{4})(.{2})$/, '$1.$2.$3/$4-$5');
}

function isTaxId(normalized: string): normalized is TaxId {
  // Repeated digits, such as 111.111.111-11, pass the check but are never issued.
  if (/^(.)\1*$/.test(normalized)) return false;
  if (CPF.test(normalized)) return hasValidCheckDigits(normalized, 11);
  return CNPJ.test(normalized) && hasValidCheckDigits(normalized, 9);
}

/**
 * Whether the last two characters are valid check digits (modulo 11). Weights run from 2 to `maxWeight`, from the
 * right, and repeat.
 */
function hasValidCheckDigits(normalized: string, maxWeight: number): boolean {
  const values = Array.from(normalized, (character) => character.charCodeAt(0) - '0'.charCodeAt(0));
  return [values.length - 2, values.length - 1].every((at) => {
    const sum = values
      .slice(0, at)
      .reduceRight((total, value, index) => total + value * (((at - 1 - index) % (maxWeight - 1)) + 2), 0);
    const remainder = sum % 11;
    return values[at] === (remainder < 2 ? 0 : 11 - remainder);
  });
}

/** A pattern for groups of characters, as long as `lengths` says, that are not part of a longer run of them. */
function matchGroups(character: string, lengths: readonly number[]): RegExp {
  const groups = lengths.map((length) => `${character}{${length}}`).join(SEPARATOR);
  return new RegExp(`(?<!${character})(?=(${groups})(?!${character}))`, 'g');
}
