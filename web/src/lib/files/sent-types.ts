// The files that clients and office send each other, in tickets and as received files.
import { toUserMessage } from '~/lib/api/error-messages';

import { getExtension } from './file-name';
import { validateFile } from './validate-file';

/** The accepted types, for people. */
export const SENT_TYPES = 'PDF, fotos, vídeos, Word, Excel, XML, OFX, CSV, TXT e ZIP';

/** The extensions that the server accepts. It also checks the content. */
export const SENT_EXTENSIONS: ReadonlySet<string> = new Set(
  'pdf doc docx xls xlsx odt ods png jpg jpeg webp gif txt csv xml ofx p7s heic heif mp4 mov zip'.split(' '),
);

/** Returns the error message for an invalid file, undefined for a valid one. */
export function validateSentFile(file: File, maxBytes: number): string | undefined {
  const fault = validateFile(file, maxBytes);
  if (fault !== undefined || SENT_EXTENSIONS.has(getExtension(file.name))) return fault;
  return toUserMessage({ code: 'InvalidSentType' }, '');
}
