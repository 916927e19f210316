import { useQuery } from '@tanstack/react-query';
import { FolderCog, FolderPlus } from 'lucide-react';
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import {
  archiveFolder,
  type ManagedFolder,
  managedFoldersQuery,
  orderFolders,
} from '~/features/folders/admin-api';
import { folderKeys } from '~/features/folders/api';
import { useAction } from '~/hooks/use-api-mutation';
import { useAsking } from '~/hooks/use-dialog-state';
import { moved, useOrder } from '~/hooks/use-drag-reorder';
import { queryClient } from '~/lib/api/query-client';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { EmptyState } from '~/ui/empty-state';
import { ErrorState } from '~/ui/error-state';
import { SkeletonList } from '~/ui/skeleton';

import { DeleteFolderDialog } from './delete-folder-dialog';
import { FolderForm } from './folder-form-dialog';
import { FolderRow } from './folder-row';

export function loader() {
  void queryClient.prefetchQuery(managedFoldersQuery());
  return null;
}

export { AdminFoldersPage as Component };

function AdminFoldersPage() {
  const folders = useQuery(managedFoldersQuery());
  const editing = useAsking<ManagedFolder | null>();
  const deletion = useAsking<ManagedFolder>();
  const rows = folders.data ?? [];
  const newFolder = (
    <Button icon={<FolderPlus size={20} aria-hidden />} onClick={() => editing.ask(null)}>
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
      {folders.isPending && <SkeletonList rows={4} rowClassName="h-16" />}
      {folders.isError && !folders.data && (
        <Card>
          <ErrorState onRetry={() => void folders.refetch()} />
        </Card>
      )}
      {folders.data?.length === 0 && (
        <Card>
          <EmptyState
            icon={<FolderCog size={26} />}
            title="Nenhuma pasta encontrada"
            hint="Crie a primeira pasta para enviar documentos."
          />
        </Card>
      )}
      {rows.length > 0 && <FolderList folders={rows} onEdit={editing.ask} onDelete={deletion.ask} />}
      <FolderForm
        key={`form-${editing.round}`}
        folder={editing.subject}
        there={rows}
        open={editing.open}
        onClose={editing.close}
      />
      <DeleteFolderDialog
        key={`deletion-${deletion.round}`}
        folder={deletion.subject}
        there={rows}
        open={deletion.open}
        onClose={deletion.close}
      />
    </>
  );
}

type FolderListProps = {
  folders: readonly ManagedFolder[];
  onEdit: (folder: ManagedFolder) => void;
  onDelete: (folder: ManagedFolder) => void;
};

function FolderList({ folders, onEdit, onDelete }: FolderListProps) {
  const [told, setTold] = useState('');
  // Shown at once; should it fail, the list is as it was.
  const ordering = useAction({
    run: orderFolders,
    refreshes: [folderKeys.all],
    failure: { title: 'Erro ao ordenar pastas' },
    onSettled: () => void queryClient.invalidateQueries({ queryKey: folderKeys.all }),
  });
  const archiving = useAction({
    run: archiveFolder,
    refreshes: [folderKeys.all],
    success: (_, { archived }) => ({ title: archived ? 'Pasta arquivada' : 'Pasta restaurada' }),
    failure: { title: 'Erro ao salvar pasta' },
  });
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const ids = folders.map(({ id }) => id);
  const keep = (order: readonly string[]) => {
    queryClient.setQueryData(
      managedFoldersQuery().queryKey,
      order.flatMap((id) => byId.get(id) ?? []),
    );
    ordering.run(order);
  };
  const { list, grip, dragged, order } = useOrder(ids, keep);
  const move = ({ id, name }: ManagedFolder, by: -1 | 1) => {
    const from = ids.indexOf(id);
    keep(moved(ids, from, from + by));
    setTold(`${name}: posição ${from + by + 1} de ${ids.length}.`);
  };
  const shown = order.flatMap((id) => byId.get(id) ?? []);
  return (
    <Card>
      <ul ref={list} aria-label="Pastas" className="divide-hairline divide-y overflow-hidden rounded">
        {shown.map((folder, place) => (
          <FolderRow
            key={folder.id}
            folder={folder}
            isFirst={place === 0}
            isLast={place === shown.length - 1}
            dragged={dragged === folder.id}
            grip={grip(folder.id)}
            onMove={(by) => move(folder, by)}
            onEdit={() => onEdit(folder)}
            onArchive={() => archiving.run({ id: folder.id, archived: !folder.archived })}
            onDelete={() => onDelete(folder)}
          />
        ))}
      </ul>
      <p role="status" className="sr-only">
        {told}
      </p>
    </Card>
  );
}
