/** A password as it is sent, set or tried: one system writes `ã` as a letter, another as a letter and its tilde. */
export function normalizePassword(password: string): string {
  return password.normalize('NFC');
}
