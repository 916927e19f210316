// One document as the back office sees and changes it.
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
  /** Why its folder's documents are kept by law. */
  folder_hold_reason: string | null;
};

/** One document, or null when there is none. */
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

/** What is left out stays as it is, an expiry to the second. */
export type DocumentUpdate = {
  name?: string;
  folder_id_supabase?: string;
  status?: string;
  /** Null: its folder's. */
  kind?: FolderKind | null;
  legal_hold_reason?: string | null;
  expires_at?: Day | null;
};

export async function updateDocument({ id, ...changes }: DocumentUpdate & { id: string }): Promise<void> {
  // No change finds no document.
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
 * Gives a document another file; the server retires the old one with the change. Tells whether it came to that:
 * `false` when it was called off on the way.
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
