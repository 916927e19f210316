// Formatting of numbers and names for pt-BR. `Intl.NumberFormat` is avoided because its first use is slow on phones.

/** Formats an integer with thousands separators: `1.204`. */
export function formatInteger(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, '.');
}

/** Formats a number with at most one decimal: `2,4`, `1.204`, `3`. */
export function formatDecimal(value: number): string {
  const [whole = '0', tenths = '0'] = value.toFixed(1).split('.');
  return `${formatInteger(Number(whole))}${tenths === '0' ? '' : `,${tenths}`}`;
}

/** Formats a count with its noun: `1 documento`, `1.204 documentos`. */
export function pluralize(value: number, one: string, many: string): string {
  return `${formatInteger(value)} ${value === 1 ? one : many}`;
}

/** Formats a size in bytes in binary units: `2,4 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return pluralize(bytes, 'byte', 'bytes');
  if (bytes < 1024 ** 2) return `${formatDecimal(bytes / 1024)} kB`;
  return `${formatDecimal(bytes / 1024 ** 2)} MB`;
}

/** Initials of a name, `MS` of `Maria José da Silva`. One word gives its first two letters. */
export function getInitials(name: string): string {
  return name
    .trim()
    .replace(/^(.).*\s(.)\S*$/su, '$1$2')
    .slice(0, 2)
    .toUpperCase();
}
