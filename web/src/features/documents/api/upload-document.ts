// Sending a document: first its file, with progress that is measured, then its row.
import type { FolderKind } from '~/lib/api/database.types';
import { rest } from '~/lib/api/postgrest';
import { bucket } from '~/lib/api/storage';
import { sendFile } from '~/lib/api/upload-file';
import { type Day, today } from '~/lib/dates';
import { storagePath, uniqueNow } from '~/lib/files/storage-path';

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

/** Files whose row may have been saved, and where they lie: the answer was lost, and then the network. */
const unsettled = new WeakMap<File, string>();

/** Tells whether the document was sent: `false` when it was called off on the way. */
export async function sendDocument({ document, onProgress, signal }: Sending): Promise<boolean> {
  const { clientId, folderId, file } = document;
  const words = {
    folder_id_supabase: folderId,
    name: document.documentName,
    type: document.documentType,
    expires_at: document.expiresAt,
    kind: document.kind ?? null,
  };
  const before = unsettled.get(file);
  if (before?.startsWith(`public/${clientId}/`)) {
    const saved = rest().from('documents').update(words).eq('file_url', before).select('id');
    if ((await saved.throwOnError()).data.length > 0) return true;
  }
  const path = storagePath({ clientId, folderId, fileName: file.name, now: uniqueNow() });
  if (!(await sendFile({ bucket: 'client-documents', path, file, onProgress, signal }))) return false;
  unsettled.set(file, path);
  await saveRowOf(path, () =>
    rest()
      .from('documents')
      .insert({
        ...words,
        created_at: today(),
        status: 'active',
        file_url: path,
        uploaded_at: new Date().toISOString(),
      })
      .throwOnError(),
  );
  unsettled.delete(file);
  return true;
}

/**
 * Saves the row that shows a file. Without it the file must not stay; should its removal fail too, the server's sweep
 * finds it.
 */
export async function saveRowOf(path: string, save: () => PromiseLike<unknown>): Promise<void> {
  try {
    await save();
  } catch (error) {
    // It may have been saved, and only the answer lost: to remove the file then would be to lose it.
    const { count } = await rest()
      .from('documents')
      .select('*', { count: 'exact', head: true })
      .eq('file_url', path)
      .throwOnError();
    if (count) return;
    await bucket().remove([path]);
    throw error;
  }
}
