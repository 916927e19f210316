// Written out rather than asked of `Intl.NumberFormat`, whose first use costs a phone more than a screen's rendering.

/** `1.204`: whole numbers, as pt-BR groups them. */
export function formatInteger(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, '.');
}

/** `2,4`, `1.204`, `3`: at most one decimal. */
export function formatDecimal(value: number): string {
  const [whole = '0', tenths = '0'] = value.toFixed(1).split('.');
  return `${formatInteger(Number(whole))}${tenths === '0' ? '' : `,${tenths}`}`;
}

/** `1 documento`, `1.204 documentos`. */
export function pluralize(value: number, one: string, many: string): string {
  return `${formatInteger(value)} ${value === 1 ? one : many}`;
}

/** `2,4 MB`. Steps of 1024, as file managers count. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return pluralize(bytes, 'byte', 'bytes');
  if (bytes < 1024 ** 2) return `${formatDecimal(bytes / 1024)} kB`;
  return `${formatDecimal(bytes / 1024 ** 2)} MB`;
}
