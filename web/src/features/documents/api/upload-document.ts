// Document upload: the file first, with progress, then the row.
import type { FolderKind } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';
import { storageBucket } from '~/lib/api/storage';
import { uploadFile } from '~/lib/api/upload-file';
import { type Day, today } from '~/lib/dates';
import { storagePath, uniqueTimestamp } from '~/lib/files/storage-path';

import type { ApprovalRequest } from './approvals';
import type { PaymentColumns } from './payment-details';

export type NewDocument = {
  clientId: string;
  folderId: string;
  documentName: string;
  documentType: string;
  expiresAt: Day | null;
  /** Kind for notification e-mails, overriding the kind of the folder. */
  kind?: FolderKind | null;
  /** The answer that the client is asked for. */
  approvalRequest?: ApprovalRequest | null;
  payment?: PaymentColumns;
  file: File;
};

export type DocumentUpload = {
  document: NewDocument;
  /** Called with the uploaded fraction, from 0 to 1. */
  onProgress: (progress: number) => void;
  /** Aborts the upload of the file. It has no effect after the file has arrived. */
  signal: AbortSignal;
};

/** Storage paths of files whose row may have been saved, because the connection failed before the response arrived. */
const uncertainUploads = new WeakMap<File, string>();

/** Uploads a document. Returns `false` if the upload was aborted. */
export async function uploadDocument({ document, onProgress, signal }: DocumentUpload): Promise<boolean> {
  const { clientId, folderId, file } = document;
  const row = {
    folder_id_supabase: folderId,
    name: document.documentName,
    type: document.documentType,
    expires_at: document.expiresAt,
    kind: document.kind ?? null,
    approval_request: document.approvalRequest ?? null,
    ...document.payment,
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
 * Saves the row that references a file. If the save fails, the file is removed. If the removal fails too, the server's
 * garbage collection removes the orphaned file.
 */
export async function saveRowOrRemoveFile(path: string, save: () => PromiseLike<unknown>): Promise<void> {
  try {
    await save();
  } catch (error) {
    // The row may have been saved although the response was lost. In that case the file must stay.
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
