// Actions on the selected documents of the list.
import { useQuery } from '@tanstack/react-query';
import { FolderInput, MailCheck, Trash2 } from 'lucide-react';
import { useState } from 'react';

import type { Selection } from '~/components/list-table/bulk-bar';
import { deleteDocuments, moveDocuments } from '~/features/documents/api/admin-documents';
import { documentKeys } from '~/features/documents/api/documents';
import { RemindDocumentsDialog } from '~/features/documents/components/remind-documents-dialog';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { folderKeys } from '~/features/folders/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { pluralize } from '~/lib/format';
import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';
import { Select } from '~/ui/select';

import { useUndoDeletion } from './trash/use-undo-deletion';

type Action = 'remind' | 'move' | 'delete';

export function DocumentBulkActions({ ids, clear }: Selection) {
  const [action, setAction] = useState<Action | null>(null);
  const close = () => setAction(null);
  return (
    <>
      <Button variant="quiet" icon={<MailCheck size={20} aria-hidden />} onClick={() => setAction('remind')}>
        Lembrar
      </Button>
      <Button variant="quiet" icon={<FolderInput size={20} aria-hidden />} onClick={() => setAction('move')}>
        Mover
      </Button>
      <Button
        variant="quiet-danger"
        icon={<Trash2 size={20} aria-hidden />}
        onClick={() => setAction('delete')}
      >
        Excluir
      </Button>
      <RemindDocumentsDialog open={action === 'remind'} ids={ids} onClose={close} onDone={clear} />
      {action === 'move' && <MoveDialog ids={ids} onClose={close} onDone={clear} />}
      <DeleteDialog open={action === 'delete'} ids={ids} onClose={close} onDone={clear} />
    </>
  );
}

type BulkDialogProps = { ids: readonly string[]; onClose: () => void; onDone: () => void };

function MoveDialog({ ids, onClose, onDone }: BulkDialogProps) {
  const { data: folders = [] } = useQuery(allFoldersQuery());
  const [folder, setFolder] = useState('');
  const move = useApiMutation({
    mutationFn: moveDocuments,
    invalidates: [documentKeys.all, folderKeys.all],
    successToast: (moved) => ({ title: pluralize(moved, 'documento movido', 'documentos movidos') }),
    errorToast: { title: 'Erro ao mover documentos' },
    onSettled: onClose,
    onSuccessIfMounted: onDone,
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !move.isPending && onClose()}
      title="Mover para outra pasta"
      description={pluralize(ids.length, 'documento vai para a pasta.', 'documentos vão para a pasta.')}
      footer={
        <>
          <Button variant="secondary" disabled={move.isPending} onClick={onClose}>
            Cancelar
          </Button>
          <Button
            disabled={folder === ''}
            pending={move.isPending}
            onClick={() => move.mutate({ ids, folder })}
          >
            Mover
          </Button>
        </>
      }
    >
      <Field label="Pasta">
        {(control) => (
          <Select
            {...control}
            placeholder="Selecione uma pasta"
            options={folders
              .filter(({ archived }) => !archived)
              .map(({ id, name }) => ({ value: id, label: name }))}
            value={folder}
            onChange={({ target }) => setFolder(target.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}

function DeleteDialog({ open, ids, onClose, onDone }: BulkDialogProps & { open: boolean }) {
  const undo = useUndoDeletion();
  const removal = useApiMutation({
    mutationFn: deleteDocuments,
    invalidates: [documentKeys.all, folderKeys.all],
    successToast: ({ deleted, held }) => ({
      title: pluralize(deleted.length, 'documento excluído', 'documentos excluídos'),
      ...(deleted.length > 0 && { action: undo(deleted) }),
      ...(held > 0 && {
        description: pluralize(held, 'continua, sob guarda legal', 'continuam, sob guarda legal'),
      }),
    }),
    errorToast: { title: 'Erro ao excluir documentos' },
    onSettled: onClose,
    onSuccessIfMounted: onDone,
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(wanted) => !wanted && onClose()}
      title="Confirmar Exclusão"
      description={`${pluralize(ids.length, 'documento será excluído', 'documentos serão excluídos')} com os seus arquivos. Os clientes deixam de vê-los na hora. Ficam 30 dias na lixeira e podem ser restaurados.`}
      confirm="Excluir"
      danger
      pending={removal.isPending}
      onConfirm={() => removal.mutate(ids)}
    />
  );
}
