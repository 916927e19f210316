// Where a file that is sent comes to lie, and what its document is called until somebody says otherwise.
import { getExtension } from './file-name';

const MAX_SEGMENT_BYTES = 255;
const MAX_NAME = 255;

/**
 * What a stored name cannot hold: `#`, `?` and `%` get lost on the way, slashes would be folders, and control,
 * direction and zero-width characters make a name look like another.
 */
const FORBIDDEN_CHARACTERS = /[#?%/\\\p{Cc}\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

/** The path of a file in the bucket; the server reads from it whose the document is. */
export function storagePath(place: {
  clientId: string;
  folderId: string;
  fileName: string;
  now: number;
}): string {
  const { clientId, folderId, fileName, now } = place;
  const prefix = `${now}-`;
  return `public/${clientId}/${folderId}/${prefix}${sanitizeFileName(fileName, MAX_SEGMENT_BYTES - prefix.length)}`;
}

/** The sender of the office's files in the bucket of attachments; a client's is their id. */
export const STAFF_PREFIX = 'office';

/** The path of a file that comes with a ticket's message, in the bucket of attachments. */
export function attachmentPath(place: {
  sender: string;
  ticketId: string;
  fileName: string;
  now: number;
}): string {
  const { sender, ticketId, fileName, now } = place;
  const prefix = `${now}-`;
  return `${sender}/${ticketId}/${prefix}${sanitizeFileName(fileName, MAX_SEGMENT_BYTES - prefix.length)}`;
}

let last = 0;

/** The time, but never the same twice: several files are chosen at once. */
export function uniqueTimestamp(): number {
  last = Math.max(Date.now(), last + 1);
  return last;
}

/** `Contrato de locação` of `Contrato de locação.pdf`. */
export function defaultDocumentName(fileName: string): string {
  const name = fileName.normalize('NFC').trim();
  const extension = getExtension(name);
  const stem = extension === '' ? name : name.slice(0, -extension.length - 1).trim();
  return (stem === '' ? name : stem).slice(0, MAX_NAME);
}

function sanitizeFileName(fileName: string, maxBytes: number): string {
  const name = fileName
    .normalize('NFC')
    .toWellFormed()
    .replaceAll(FORBIDDEN_CHARACTERS, '_')
    .replace(/[ .]+$/, '');
  if (bytes(name) <= maxBytes) return name === '' ? '_' : name;
  const extension = getExtension(name);
  const ending = extension === '' ? '' : `.${extension}`;
  let stem = '';
  for (const character of name.slice(0, name.length - ending.length)) {
    if (bytes(stem + character + ending) > maxBytes) break;
    stem += character;
  }
  return stem + ending;
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
