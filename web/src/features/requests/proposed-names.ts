// Names of the documents that received files become.
import { getExtension } from '~/lib/files/file-name';
import { defaultDocumentName } from '~/lib/files/storage-path';

import type { ReceivedFile, SentFile } from './api/requests';

/** Maximum length of a note that serves as a name. Characters. */
const MAX_SUBJECT_LENGTH = 60;
const PICTURE_OR_VIDEO = /^(?:jpe?g|png|webp|gif|heic|heif|mp4|mov)$/;
/** The words in names that cameras and messengers give: `IMG_0042`, `WhatsApp Image 2026-11-20 at 10.10.10`. */
const CAMERA_WORDS = new Set(
  (
    'image imagem img foto photo picture dsc dscn pxl mp mvimg vid video vídeo whatsapp wa at am pm ' +
    'screenshot captura de tela'
  ).split(' '),
);
/** The names of pictures on an iPhone that leave its library: a UUID. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Returns names by the ids of the files: the name of the file without its extension, or, for a picture or video from a
 * camera, the subject, with a number from the second on.
 */
export function proposeNames(files: readonly ReceivedFile[], subject: string | null): Record<string, string> {
  let nameless = 0;
  return Object.fromEntries(
    files.map(({ id, name }) => {
      const own = defaultDocumentName(name);
      if (subject === null || !isCameraName(own, getExtension(name))) return [id, own];
      nameless += 1;
      return [id, nameless === 1 ? subject : `${subject} ${nameless}`];
    }),
  );
}

/** Returns what a file without a request is: its note, if that is short. */
export function subjectOf({ note }: SentFile): string | null {
  const text = note?.trim().replace(/\.$/, '') ?? '';
  return text === '' || text.length > MAX_SUBJECT_LENGTH || text.includes('\n') ? null : text;
}

function isCameraName(stem: string, extension: string): boolean {
  const words = stem.toLowerCase().match(/\p{L}+/gu) ?? [];
  return (
    PICTURE_OR_VIDEO.test(extension) && (UUID.test(stem) || words.every((word) => CAMERA_WORDS.has(word)))
  );
}
