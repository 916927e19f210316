// Sending a document: first its file, with progress that is measured, then its row.
import { type Day, today } from '~/lib/dates';
import { rest } from '~/lib/rest';
import { bucket } from '~/lib/storage';
import { storagePath } from '~/lib/stored-name';
import type { FolderKind } from '~/lib/tables';

import { sendFile } from './send-file';

export type NewDocument = {
  clientId: string;
  folderId: string;
  documentName: string;
  documentType: string;
  expiresAt: Day | null;
  /** What mails about it go by, instead of its folder's. */
  kind?: FolderKind | null;
  file: File;
};

export type Sending = {
  document: NewDocument;
  /** Called with the share of the file that is on its way out, from 0 to 1. */
  onProgress: (share: number) => void;
  /** Stops the sending; once the file has arrived it is too late. */
  signal: AbortSignal;
};

/** Tells whether the document was sent: `false` when it was called off on the way. */
export async function sendDocument({ document, onProgress, signal }: Sending): Promise<boolean> {
  const { clientId, folderId, file } = document;
  const path = storagePath({ clientId, folderId, fileName: file.name, now: Date.now() });
  if (!(await sendFile({ bucket: 'client-documents', path, file, onProgress, signal }))) return false;
  try {
    await rest()
      .from('documents')
      .insert({
        folder_id_supabase: folderId,
        name: document.documentName,
        type: document.documentType,
        created_at: today(),
        expires_at: document.expiresAt,
        status: 'active',
        file_url: path,
        uploaded_at: new Date().toISOString(),
        ...(document.kind && { kind: document.kind }),
      })
      .throwOnError();
  } catch (error) {
    // A file without a document must not stay. Should this fail too, the server's sweep finds it.
    await bucket().remove([path]);
    throw error;
  }
  return true;
}
