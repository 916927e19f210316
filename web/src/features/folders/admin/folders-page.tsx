// Folder administration page.
import { useQuery } from '@tanstack/react-query';
import { FolderCog, FolderPlus } from 'lucide-react';
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { QueryList } from '~/components/query-list';
import {
  archiveFolder,
  type AdminFolder,
  adminFoldersQuery,
  reorderFolders,
} from '~/features/folders/admin-api';
import { folderKeys } from '~/features/folders/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useDialogState } from '~/hooks/use-dialog-state';
import { moveItem, useDragReorder } from '~/hooks/use-drag-reorder';
import { queryClient, refetchChanged } from '~/lib/api/query-client';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

import { DeleteFolderDialog } from './delete-folder-dialog';
import { FolderFormDialog } from './folder-form-dialog';
import { FolderRow } from './folder-row';

export function loader() {
  void queryClient.prefetchQuery(adminFoldersQuery());
  return null;
}

export { AdminFoldersPage as Component };

function AdminFoldersPage() {
  const folders = useQuery(adminFoldersQuery());
  const editing = useDialogState<AdminFolder | null>();
  const deletion = useDialogState<AdminFolder>();
  const all = folders.data ?? [];
  const newFolder = (
    <Button icon={<FolderPlus size={20} aria-hidden />} onClick={() => editing.show(null)}>
      Nova Pasta
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Gerenciar Pastas"
        description="Os clientes veem as pastas nesta ordem."
        action={newFolder}
      />
      <QueryList
        query={folders}
        rows={folders.data}
        loading={<SkeletonList rows={4} rowClassName="h-16" />}
        empty={{
          icon: <FolderCog size={26} />,
          title: 'Nenhuma pasta encontrada',
          hint: 'Crie a primeira pasta para enviar documentos.',
        }}
        card
      >
        {(rows) => <FolderList folders={rows} onEdit={editing.show} onDelete={deletion.show} />}
      </QueryList>
      <FolderFormDialog
        key={`form-${editing.key}`}
        folder={editing.item}
        existing={all}
        open={editing.open}
        onClose={editing.close}
      />
      <DeleteFolderDialog
        key={`deletion-${deletion.key}`}
        folder={deletion.item}
        existing={all}
        open={deletion.open}
        onClose={deletion.close}
      />
    </>
  );
}

type FolderListProps = {
  folders: readonly AdminFolder[];
  onEdit: (folder: AdminFolder) => void;
  onDelete: (folder: AdminFolder) => void;
};

function FolderList({ folders, onEdit, onDelete }: FolderListProps) {
  const [announcement, setAnnouncement] = useState('');
  // Optimistic update, rolled back on failure.
  const ordering = useApiMutation({
    mutationFn: reorderFolders,
    invalidates: [folderKeys.all],
    errorToast: { title: 'Erro ao ordenar pastas' },
    onSettled: () => void refetchChanged(folderKeys.all),
  });
  const archiving = useApiMutation({
    mutationFn: archiveFolder,
    invalidates: [folderKeys.all],
    successToast: (_, { archived }) => ({ title: archived ? 'Pasta arquivada' : 'Pasta restaurada' }),
    errorToast: { title: 'Erro ao salvar pasta' },
  });
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const ids = folders.map(({ id }) => id);
  const saveOrder = (order: readonly string[]) => {
    queryClient.setQueryData(
      adminFoldersQuery().queryKey,
      order.flatMap((id) => byId.get(id) ?? []),
    );
    ordering.mutate(order);
  };
  const { list, dragHandleProps, dragged, order } = useDragReorder(ids, saveOrder);
  const move = ({ id, name }: AdminFolder, by: -1 | 1) => {
    const from = ids.indexOf(id);
    saveOrder(moveItem(ids, from, from + by));
    setAnnouncement(`${name}: posição ${from + by + 1} de ${ids.length}.`);
  };
  const shown = order.flatMap((id) => byId.get(id) ?? []);
  return (
    <Card>
      <ul ref={list} aria-label="Pastas" className="divide-border divide-y overflow-hidden rounded">
        {shown.map((folder, place) => (
          <FolderRow
            key={folder.id}
            folder={folder}
            isFirst={place === 0}
            isLast={place === shown.length - 1}
            dragged={dragged === folder.id}
            grip={dragHandleProps(folder.id)}
            onMove={(by) => move(folder, by)}
            onEdit={() => onEdit(folder)}
            onArchive={() => archiving.mutate({ id: folder.id, archived: !folder.archived })}
            onDelete={() => onDelete(folder)}
          />
        ))}
      </ul>
      <p role="status" className="sr-only">
        {announcement}
      </p>
    </Card>
  );
}
