// Validation of a file before its upload.
import { formatDecimal } from '~/lib/format';

/** Formats a limit in bytes: `10MB`. */
export function formatSizeLimit(bytes: number): string {
  return `${formatDecimal(bytes / 1024 ** 2)}MB`;
}

/** Returns the error message for an invalid file, undefined for a valid one. */
export function validateFile(file: File, maxBytes: number): string | undefined {
  if (file.size > maxBytes) return `O arquivo excede o limite de ${formatSizeLimit(maxBytes)}.`;
  if (file.size === 0) return 'O arquivo está vazio.';
  return undefined;
}
