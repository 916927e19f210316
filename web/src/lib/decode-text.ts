/**
 * Decodes text as UTF-16 with a byte order mark, as UTF-8, or else as Windows-1252, which Brazilian banks and older
 * spreadsheets use.
 */
export function decodeText(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes);
  // Excel exports this encoding as "Texto Unicode".
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
