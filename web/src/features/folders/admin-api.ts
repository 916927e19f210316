// The folders as the office arranges them: archived ones too, each with the count of everybody's documents.
import { queryOptions } from '@tanstack/react-query';

import type { FolderKind } from '~/lib/api/database.types';
import { rest } from '~/lib/api/postgrest';
import { slugOf } from '~/lib/slug';

import { folderKeys } from './api';

export type ManagedFolder = {
  id: string;
  name: string;
  icon: string | null;
  kind: FolderKind | null;
  archived: boolean;
  documents: number;
  keep_months: number | null;
  discards: boolean;
  hold_reason: string | null;
};

export type FolderWords = {
  name: string;
  icon: string;
  kind: FolderKind | null;
  keep_months: number | null;
  discards: boolean;
  hold_reason: string | null;
};

export type FolderChoice = { id: string; name: string; kind: FolderKind | null };

/** Every folder there is, archived ones included: a search reaches what lies in them. */
export function allFoldersQuery() {
  return queryOptions({
    queryKey: [...folderKeys.all, 'all'],
    async queryFn({ signal }): Promise<(FolderChoice & { archived: boolean })[]> {
      const { data } = await rest()
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
    meta: { failure: { title: 'Erro ao buscar pastas' } },
  });
}

/** All of them in their order: an office has as many as one looks over at a glance. */
export function managedFoldersQuery() {
  return queryOptions({
    queryKey: [...folderKeys.all, 'managed'],
    async queryFn({ signal }): Promise<ManagedFolder[]> {
      const { data } = await rest()
        .from('folders')
        .select('id_supabase,name,icon,kind,archived_at,keep_months,discards,hold_reason,documents(count)')
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
    meta: { failure: { title: 'Erro ao buscar pastas' } },
  });
}

/** A new folder comes last. Its name in addresses is made of its first name, and stays. */
export async function createFolder(words: FolderWords, there: readonly ManagedFolder[]): Promise<void> {
  const taken = there.map(({ id }) => id);
  await rest()
    .from('folders')
    .insert({ ...words, id_supabase: slugOf(words.name, taken, 'pasta'), position: there.length + 1 })
    .throwOnError();
}

export async function changeFolder(id: string, changes: Partial<FolderWords>): Promise<void> {
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
  changes: Partial<FolderWords> | { archived_at: string | null },
): Promise<void> {
  await rest()
    .from('folders')
    .update(changes)
    .eq('id_supabase', id)
    .select('id_supabase')
    .single()
    .throwOnError();
}

/** All folders in their new order. */
export async function orderFolders(ids: readonly string[]): Promise<void> {
  await rest()
    .rpc('order_folders', { folders: [...ids] })
    .throwOnError();
}

/** Its documents move to the target first; without one it must be empty. Either all of it is done or nothing. */
export async function deleteFolder({ id, target }: { id: string; target: string | null }): Promise<void> {
  await rest().rpc('delete_folder', { folder: id, target }).throwOnError();
}
