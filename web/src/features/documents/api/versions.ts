// Versions: the earlier files of a document.
import { queryOptions } from '@tanstack/react-query';

import { staffName } from '~/features/staff/api';
import type { StaffRow } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';

import { documentKeys } from './documents';

export type DocumentVersion = {
  id: string;
  /** Of the file. */
  name: string;
  file_url: string;
  size: number;
  sha256: string;
  uploaded_at: string;
  replaced_at: string;
  /** Null for a program, and for a former member of staff. */
  replacedBy: string | null;
};

/** Maximum number of versions that the server keeps. */
const MAX_VERSIONS = 20;

/** The versions of a document, the last replaced first. */
export function versionsQuery(documentId: string) {
  return queryOptions({
    queryKey: [...documentKeys.all, 'versions', documentId],
    async queryFn({ signal }): Promise<DocumentVersion[]> {
      const { data } = await db()
        .from('document_versions')
        .select('id,name,file_url,size,sha256,uploaded_at,replaced_at,staff(email,user_metadata)')
        .eq('document_id', documentId)
        .order('replaced_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(MAX_VERSIONS)
        .abortSignal(signal)
        .overrideTypes<SelectedVersion[], { merge: false }>()
        .throwOnError();
      return data.map(({ staff, ...version }) => ({ ...version, replacedBy: staff && staffName(staff) }));
    },
    meta: { errorToast: { title: 'Erro ao buscar versões' } },
  });
}

/** Makes a version the present file. The present file becomes a version. */
export async function restoreVersion({ id }: DocumentVersion): Promise<void> {
  await db().rpc('restore_document_version', { version: id }).throwOnError();
}

/** Removes a version for good. */
export async function deleteVersion({ id }: DocumentVersion): Promise<void> {
  await db().from('document_versions').delete().eq('id', id).throwOnError();
}

type SelectedVersion = Omit<DocumentVersion, 'replacedBy'> & {
  staff: Pick<StaffRow, 'email' | 'user_metadata'> | null;
};
