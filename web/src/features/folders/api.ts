// Folder queries of the client portal.
import { queryOptions } from '@tanstack/react-query';

import type { FolderKind } from '~/lib/api/database';
import { portalLoadErrorToast } from '~/lib/api/error-toasts';
import { db } from '~/lib/api/postgrest';

export type Folder = {
  id: string;
  name: string;
  icon: string | null;
  kind: FolderKind | null;
  documents: number;
};

export const folderKeys = { all: ['folders'] as const };

/** Visible folders, with the number of the client's documents in each. */
export function foldersQuery() {
  return queryOptions({
    queryKey: [...folderKeys.all, 'with-counts'],
    async queryFn({ signal }): Promise<Folder[]> {
      const { data } = await db()
        .from('folders')
        .select('id_supabase,name,icon,kind,archived_at,documents(count)')
        .order('position')
        .order('name')
        .abortSignal(signal)
        .throwOnError();
      return (
        data
          .map((row) => ({
            id: row.id_supabase,
            name: row.name,
            icon: row.icon,
            kind: row.kind,
            archived: row.archived_at !== null,
            documents: row.documents[0]?.count ?? 0,
          }))
          // An archived folder is visible only if it contains documents of the client.
          .filter((folder) => !folder.archived || folder.documents > 0)
      );
    },
    meta: { errorToast: portalLoadErrorToast },
  });
}
