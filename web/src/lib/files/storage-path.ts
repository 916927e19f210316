// Paths of uploaded files in the buckets, and default names of documents.
import { getExtension } from './file-name';

const MAX_SEGMENT_BYTES = 255;
const MAX_NAME_LENGTH = 255;

/**
 * Characters that `sanitizeFileName` replaces: URL delimiters, path separators, and invisible characters (control,
 * bidirectional and zero-width), which can disguise a name.
 */
const FORBIDDEN_CHARACTERS = /[#?%/\\\p{Cc}\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

/** The path of a document in its bucket. The server derives the client of the document from it. */
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

/** The first path segment of attachments from staff. Attachments from a client begin with the client's id. */
export const STAFF_PREFIX = 'office';

/** The path of a file that a client sends, for an item of a request or without one. */
export function receivedFilePath(place: {
  clientId: string;
  itemId: string | null;
  fileName: string;
  now: number;
}): string {
  const { clientId, itemId, fileName, now } = place;
  return attachmentPath({ sender: clientId, ticketId: itemId ?? 'unrequested', fileName, now });
}

/** The path of a ticket attachment in its bucket. */
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

let lastTimestamp = 0;

/** The current time in milliseconds, unique per call, because several files can be chosen at once. */
export function uniqueTimestamp(): number {
  lastTimestamp = Math.max(Date.now(), lastTimestamp + 1);
  return lastTimestamp;
}

/** The name of a document without the extension of its file: `Contrato de locação` of `Contrato de locação.pdf`. */
export function defaultDocumentName(fileName: string): string {
  const name = fileName.normalize('NFC').trim();
  const extension = getExtension(name);
  const stem = extension === '' ? name : name.slice(0, -extension.length - 1).trim();
  return (stem === '' ? name : stem).slice(0, MAX_NAME_LENGTH);
}

function sanitizeFileName(fileName: string, maxBytes: number): string {
  const name = fileName
    .normalize('NFC')
    .toWellFormed()
    .replaceAll(FORBIDDEN_CHARACTERS, '_')
    .replace(/[ .]+$/, '');
  if (byteLength(name) <= maxBytes) return name === '' ? '_' : name;
  const extension = getExtension(name);
  const suffix = extension === '' ? '' : `.${extension}`;
  let stem = '';
  for (const character of name.slice(0, name.length - suffix.length)) {
    if (byteLength(stem + character + suffix) > maxBytes) break;
    stem += character;
  }
  return stem + suffix;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
