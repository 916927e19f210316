// Sending a document: first its file, with progress that is measured, then its row.
import type { FolderKind } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';
import { storageBucket } from '~/lib/api/storage';
import { uploadFile } from '~/lib/api/upload-file';
import { type Day, today } from '~/lib/dates';
import { storagePath, uniqueTimestamp } from '~/lib/files/storage-path';

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

export type DocumentUpload = {
  document: NewDocument;
  /** Called with the share of the file that is on its way out, from 0 to 1. */
  onProgress: (progress: number) => void;
  /** Stops the sending; once the file has arrived it is too late. */
  signal: AbortSignal;
};

/** Files whose row may have been saved, and where they lie: the answer was lost, and then the network. */
const uncertainUploads = new WeakMap<File, string>();

/** Tells whether the document was sent: `false` when it was called off on the way. */
export async function uploadDocument({ document, onProgress, signal }: DocumentUpload): Promise<boolean> {
  const { clientId, folderId, file } = document;
  const row = {
    folder_id_supabase: folderId,
    name: document.documentName,
    type: document.documentType,
    expires_at: document.expiresAt,
    kind: document.kind ?? null,
  };
  const before = uncertainUploads.get(file);
  if (before?.startsWith(`public/${clientId}/`)) {
    const saved = db().from('documents').update(row).eq('file_url', before).select('id');
    if ((await saved.throwOnError()).data.length > 0) return true;
  }
  const path = storagePath({ clientId, folderId, fileName: file.name, now: uniqueTimestamp() });
  if (!(await uploadFile({ bucket: 'client-documents', path, file, onProgress, signal }))) return false;
  uncertainUploads.set(file, path);
  await saveRowOrRemoveFile(path, () =>
    db()
      .from('documents')
      .insert({
        ...row,
        created_at: today(),
        status: 'active',
        file_url: path,
        uploaded_at: new Date().toISOString(),
      })
      .throwOnError(),
  );
  uncertainUploads.delete(file);
  return true;
}

/**
 * Saves the row that shows a file. Without it the file must not stay; should its removal fail too, the server's sweep
 * finds it.
 */
export async function saveRowOrRemoveFile(path: string, save: () => PromiseLike<unknown>): Promise<void> {
  try {
    await save();
  } catch (error) {
    // It may have been saved, and only the answer lost: to remove the file then would be to lose it.
    const { count } = await db()
      .from('documents')
      .select('*', { count: 'exact', head: true })
      .eq('file_url', path)
      .throwOnError();
    if (count) return;
    await storageBucket().remove([path]);
    throw error;
  }
}
