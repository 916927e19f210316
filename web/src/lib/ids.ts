const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text from an address or a search can be the id of a row; the server refuses to look for any other. */
export function isId(text: string): boolean {
  return UUID.test(text);
}
