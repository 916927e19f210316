// Queries and mutations of one document for administrators.
import { queryOptions } from '@tanstack/react-query';

import { type Client, toClient } from '~/features/clients/api/clients';
import type { FolderKind } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';
import { uploadFile } from '~/lib/api/upload-file';
import type { Day } from '~/lib/dates';
import { getExtension } from '~/lib/files/file-name';
import { storagePath, uniqueTimestamp } from '~/lib/files/storage-path';
import { isUuid } from '~/lib/uuid';

import { documentKeys } from './documents';
import { saveRowOrRemoveFile } from './upload-document';

export type AdminDocument = {
  id: string;
  name: string;
  type: string;
  folder_id_supabase: string;
  folder: string | null;
  client: Client | null;
  created_at: string;
  uploaded_at: string | null;
  expires_at: string | null;
  status: string;
  kind: FolderKind | null;
  file_url: string | null;
  size: number | null;
  legal_hold_reason: string | null;
  retention_expired_at: string | null;
  erased_client_id: string | null;
  /** Reason of the folder's legal hold. */
  folder_hold_reason: string | null;
};

/** The document, or null if it does not exist. */
export function adminDocumentQuery(id: string) {
  return queryOptions({
    queryKey: [...documentKeys.all, 'admin-one', id],
    async queryFn({ signal }): Promise<AdminDocument | null> {
      if (!isUuid(id)) return null;
      const { data } = await db()
        .from('documents')
        .select(
          'id,name,type,folder_id_supabase,created_at,uploaded_at,expires_at,status,kind,file_url,size,legal_hold_reason,retention_expired_at,erased_client_id,folders(name,legal_hold_reason),clients(id,email,user_metadata)',
        )
        .eq('id', id)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError();
      if (!data) return null;
      const { folders, clients, ...document } = data;
      return {
        ...document,
        folder: folders?.name ?? null,
        folder_hold_reason: folders?.legal_hold_reason ?? null,
        client: clients && toClient(clients),
      };
    },
    meta: { errorToast: { title: 'Erro ao buscar documentos' } },
  });
}

/** Omitted fields stay unchanged. An unchanged expiry keeps its seconds. */
export type DocumentUpdate = {
  name?: string;
  folder_id_supabase?: string;
  status?: string;
  /** Null selects the kind of the folder. */
  kind?: FolderKind | null;
  legal_hold_reason?: string | null;
  expires_at?: Day | null;
};

export async function updateDocument({ id, ...changes }: DocumentUpdate & { id: string }): Promise<void> {
  // An update without fields would match no row.
  if (Object.keys(changes).length === 0) return;
  await db().from('documents').update(changes).eq('id', id).select('id').single().throwOnError();
}

export type FileReplacement = {
  document: { id: string; clientId: string; folderId: string };
  file: File;
  onProgress: (progress: number) => void;
  signal: AbortSignal;
};

/**
 * Replaces the file of a document. The server removes the old file with the update. Returns `false` if the upload was
 * aborted.
 */
export async function replaceFile({ document, file, onProgress, signal }: FileReplacement): Promise<boolean> {
  const { id, clientId, folderId } = document;
  const path = storagePath({ clientId, folderId, fileName: file.name, now: uniqueTimestamp() });
  if (!(await uploadFile({ bucket: 'client-documents', path, file, onProgress, signal }))) return false;
  const type = getExtension(file.name);
  await saveRowOrRemoveFile(path, () =>
    db()
      .from('documents')
      .update({ file_url: path, uploaded_at: new Date().toISOString(), ...(type !== '' && { type }) })
      .eq('id', id)
      .select('id')
      .single()
      .throwOnError(),
  );
  return true;
}
