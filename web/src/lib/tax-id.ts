// CPF and CNPJ, the numbers by which a Brazilian taxpayer is known. Since 2026 a CNPJ may hold letters.

/** A number whose check digits are right, without dots, dashes and slashes. */
export type TaxId = string & { readonly __taxId: unique symbol };

const CPF = /^\d{11}$/;
const CNPJ = /^[\dA-Z]{12}\d{2}$/;
const CPF_LENGTH = 11;

/** The same in running text: as people write it, with or without its marks. */
const TAX_ID_IN_TEXT =
  /(?<![\dA-Z])(?:\d{3}\.?\d{3}\.?\d{3}-?\d{2}|[\dA-Z]{2}\.?[\dA-Z]{3}\.?[\dA-Z]{3}\/?[\dA-Z]{4}-?\d{2})(?![\dA-Z])/g;

/** The number in what somebody typed, or null when it is none. */
export function parseTaxId(text: string): TaxId | null {
  const bare = text.replaceAll(/[\s./-]/g, '').toUpperCase();
  return isTaxId(bare) ? bare : null;
}

/** Every number in a text, each once. */
export function extractTaxIds(text: string): TaxId[] {
  const found = new Set<TaxId>();
  for (const [match] of text.toUpperCase().matchAll(TAX_ID_IN_TEXT)) {
    const taxId = parseTaxId(match);
    if (taxId !== null) found.add(taxId);
  }
  return [...found];
}

/** `123.456.789-09`, `12.ABC.345/01DE-35`. */
export function formatTaxId(taxId: TaxId): string {
  return taxId.length === CPF_LENGTH
    ? taxId.replace(/^(.{3})(.{3})(.{3})(.{2})$/, '$1.$2.$3-$4')
    : taxId.replace(/^(.{2})(.{3})(.{3})(.{4})(.{2})$/, '$1.$2.$3/$4-$5');
}

function isTaxId(bare: string): bare is TaxId {
  // 111.111.111-11 passes the sums and belongs to nobody.
  if (/^(.)\1*$/.test(bare)) return false;
  if (CPF.test(bare)) return hasValidCheckDigits(bare, 11);
  return CNPJ.test(bare) && hasValidCheckDigits(bare, 9);
}

/** Whether the last two characters are what the others sum up to; weights go 2, 3, 4 … from the right, up to `most`. */
function hasValidCheckDigits(bare: string, most: number): boolean {
  const values = Array.from(bare, (character) => character.charCodeAt(0) - '0'.charCodeAt(0));
  return [values.length - 2, values.length - 1].every((at) => {
    const sum = values
      .slice(0, at)
      .reduceRight((total, value, index) => total + value * (((at - 1 - index) % (most - 1)) + 2), 0);
    const rest = sum % 11;
    return values[at] === (rest < 2 ? 0 : 11 - rest);
  });
}
