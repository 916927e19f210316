// Requests of the folders for staff: archived folders included, with document counts over all clients.
import { queryOptions } from '@tanstack/react-query';

import type { FolderKind } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';
import { uniqueSlug } from '~/lib/slug';

import { folderKeys } from './api';

export type AdminFolder = {
  id: string;
  name: string;
  icon: string | null;
  kind: FolderKind | null;
  archived: boolean;
  documents: number;
  retention_months: number | null;
  auto_delete: boolean;
  legal_hold_reason: string | null;
};

export type FolderInput = {
  name: string;
  icon: string;
  kind: FolderKind | null;
  retention_months: number | null;
  auto_delete: boolean;
  legal_hold_reason: string | null;
};

export type FolderOption = { id: string; name: string; kind: FolderKind | null };

/** All folders, archived ones included, because searches cover their documents. */
export function allFoldersQuery() {
  return queryOptions({
    queryKey: [...folderKeys.all, 'all'],
    async queryFn({ signal }): Promise<(FolderOption & { archived: boolean })[]> {
      const { data } = await db()
        .from('folders')
        .select('id_supabase,name,kind,archived_at')
        .order('position')
        .order('name')
        .abortSignal(signal)
        .throwOnError();
      return data.map((row) => ({
        id: row.id_supabase,
        name: row.name,
        kind: row.kind,
        archived: row.archived_at !== null,
      }));
    },
    meta: { errorToast: { title: 'Erro ao buscar pastas' } },
  });
}

/** All folders in their display order, without pagination. */
export function adminFoldersQuery() {
  return queryOptions({
    queryKey: [...folderKeys.all, 'managed'],
    async queryFn({ signal }): Promise<AdminFolder[]> {
      const { data } = await db()
        .from('folders')
        .select(
          'id_supabase,name,icon,kind,archived_at,retention_months,auto_delete,legal_hold_reason,documents(count)',
        )
        .order('position')
        .order('name')
        .abortSignal(signal)
        .throwOnError();
      return data.map(({ id_supabase, archived_at, documents, ...folder }) => ({
        ...folder,
        id: id_supabase,
        archived: archived_at !== null,
        documents: documents[0]?.count ?? 0,
      }));
    },
    meta: { errorToast: { title: 'Erro ao buscar pastas' } },
  });
}

/** Creates a folder in the last position. Its slug derives from its first name and never changes. */
export async function createFolder(folder: FolderInput, existing: readonly AdminFolder[]): Promise<void> {
  const taken = existing.map(({ id }) => id);
  await db()
    .from('folders')
    .insert({
      ...folder,
      id_supabase: uniqueSlug(folder.name, taken, 'pasta'),
      position: existing.length + 1,
    })
    .throwOnError();
}

export async function updateFolder(id: string, changes: Partial<FolderInput>): Promise<void> {
  // An update without fields would match no row.
  if (Object.keys(changes).length === 0) return;
  await change(id, changes);
}

/** Archives or restores a folder. An archived folder accepts no new documents; its documents stay accessible. */
export async function archiveFolder({ id, archived }: { id: string; archived: boolean }): Promise<void> {
  await change(id, { archived_at: archived ? new Date().toISOString() : null });
}

async function change(
  id: string,
  changes: Partial<FolderInput> | { archived_at: string | null },
): Promise<void> {
  await db()
    .from('folders')
    .update(changes)
    .eq('id_supabase', id)
    .select('id_supabase')
    .single()
    .throwOnError();
}

/** Saves the display order of all folders. */
export async function reorderFolders(ids: readonly string[]): Promise<void> {
  await db()
    .rpc('order_folders', { folders: [...ids] })
    .throwOnError();
}

/**
 * Deletes a folder after moving its documents to the target, in one transaction. Without a target the folder must be
 * empty.
 */
export async function deleteFolder({ id, target }: { id: string; target: string | null }): Promise<void> {
  await db().rpc('delete_folder', { folder: id, target }).throwOnError();
}
