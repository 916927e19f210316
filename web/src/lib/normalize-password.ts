/** Normalizes a password to NFC, because operating systems encode `ã` differently (composed or decomposed). */
export function normalizePassword(password: string): string {
  return password.normalize('NFC');
}
