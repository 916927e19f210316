/** The types of files that clients and office send each other, in tickets and as received files. */
export const SENT_TYPES = 'PDF, fotos, vídeos, Word, Excel, XML, OFX, CSV, TXT e ZIP';
