// The folders as the office arranges them: archived ones too, each with the count of everybody's documents.
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

/** Every folder there is, archived ones included: a search reaches what lies in them. */
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

/** All of them in their order: an office has as many as one looks over at a glance. */
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

/** A new folder comes last. Its name in addresses is made of its first name, and stays. */
export async function createFolder(words: FolderInput, existing: readonly AdminFolder[]): Promise<void> {
  const taken = existing.map(({ id }) => id);
  await db()
    .from('folders')
    .insert({ ...words, id_supabase: uniqueSlug(words.name, taken, 'pasta'), position: existing.length + 1 })
    .throwOnError();
}

export async function updateFolder(id: string, changes: Partial<FolderInput>): Promise<void> {
  // No change finds no folder.
  if (Object.keys(changes).length === 0) return;
  await change(id, changes);
}

/** An archived folder takes nothing new; what is in it stays in reach. */
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

/** All folders in their new order. */
export async function reorderFolders(ids: readonly string[]): Promise<void> {
  await db()
    .rpc('order_folders', { folders: [...ids] })
    .throwOnError();
}

/** Its documents move to the target first; without one it must be empty. Either all of it is done or nothing. */
export async function deleteFolder({ id, target }: { id: string; target: string | null }): Promise<void> {
  await db().rpc('delete_folder', { folder: id, target }).throwOnError();
}
