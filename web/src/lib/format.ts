const number = new Intl.NumberFormat('pt-BR', { maximumFractionDigits: 1 });
const count = new Intl.NumberFormat('pt-BR');

export function formatCount(value: number): string {
  return count.format(value);
}

/** `1 documento`, `1.204 documentos`. */
export function plural(value: number, one: string, many: string): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}

/** `2,4 MB`. Steps of 1024, as file managers count. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return plural(bytes, 'byte', 'bytes');
  if (bytes < 1024 ** 2) return `${number.format(bytes / 1024)} kB`;
  return `${number.format(bytes / 1024 ** 2)} MB`;
}
