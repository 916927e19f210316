// What can be told of a file before a byte of it is sent.
import { formatDecimal } from '~/lib/format';

/** `10MB`, as the upload hint writes it. */
export function formatSizeLimit(bytes: number): string {
  return `${formatDecimal(bytes / 1024 ** 2)}MB`;
}

/** What is wrong with a file before a byte of it is sent; nothing when it may go. */
export function validateFile(file: File, maxBytes: number): string | undefined {
  if (file.size > maxBytes) return `O arquivo excede o limite de ${formatSizeLimit(maxBytes)}.`;
  if (file.size === 0) return 'O arquivo está vazio.';
  return undefined;
}
