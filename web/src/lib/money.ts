// Amounts in reais. Apart from the other formats, because most pages show none.
import { formatInteger } from './format';

/** Formats an amount in cents: `R$ 1.234,56`, with a space that does not break. */
export function formatMoney(cents: number): string {
  const [reais, fraction] = [Math.floor(cents / 100), cents % 100];
  return `R$\u00a0${formatInteger(reais)},${String(fraction).padStart(2, '0')}`;
}

/** Formats an amount in cents for a spreadsheet, which reads it as a number: `1234,56`. */
export function formatDecimal(cents: number): string {
  return `${Math.floor(cents / 100)},${String(cents % 100).padStart(2, '0')}`;
}

/** Formats an amount in cents without the currency: `1.234,56`. */
export function formatAmount(cents: number): string {
  return formatMoney(cents).replace(/^R\$\s/, '');
}
