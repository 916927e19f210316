// Restores documents of the trash, and asks for a folder if theirs was deleted.
import { useState } from 'react';

import { documentKeys } from '~/features/documents/api/documents';
import { type Restoration, restoreDocuments } from '~/features/documents/api/trash';
import { folderKeys } from '~/features/folders/api';
import { FolderCombobox } from '~/features/folders/components/folder-combobox';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { toUserMessage } from '~/lib/api/error-messages';
import { getErrorInfo } from '~/lib/api/errors';
import { pluralize } from '~/lib/format';
import { toast } from '~/lib/toast';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';

/** `dialog` is part of the page. `onDone` runs after a success. */
export function useRestore(onDone?: () => void) {
  const [withoutFolder, setWithoutFolder] = useState<readonly string[] | null>(null);
  const restoration = useApiMutation({
    mutationFn: restoreDocuments,
    invalidates: [documentKeys.all, folderKeys.all],
    successToast: (_, { ids }) => ({
      title: pluralize(ids.length, 'documento restaurado', 'documentos restaurados'),
      description: ids.length === 1 ? 'O cliente volta a vê-lo.' : 'Os clientes voltam a vê-los.',
    }),
    onSuccess: () => setWithoutFolder(null),
    onSuccessIfMounted: () => onDone?.(),
    onError(error, { ids }) {
      if (getErrorInfo(error).code === 'folder_deleted') setWithoutFolder(ids);
      else
        toast({
          title: 'Erro ao restaurar',
          description: toUserMessage(error, 'Tente novamente.'),
          variant: 'error',
        });
    },
  });
  const dialog = withoutFolder !== null && (
    <FolderDialog
      ids={withoutFolder}
      pending={restoration.isPending}
      onClose={() => setWithoutFolder(null)}
      onRestore={restoration.mutate}
    />
  );
  return {
    restore: (ids: readonly string[]) => restoration.mutate({ ids }),
    isPending: restoration.isPending,
    dialog,
  };
}

type FolderDialogProps = {
  ids: readonly string[];
  pending: boolean;
  onClose: () => void;
  onRestore: (restoration: Restoration) => void;
};

function FolderDialog({ ids, pending, onClose, onRestore }: FolderDialogProps) {
  const [folder, setFolder] = useState('');
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !pending && onClose()}
      title="Restaurar em qual pasta?"
      description={
        ids.length === 1
          ? 'A pasta deste documento foi excluída.'
          : 'A pasta de ao menos um destes documentos foi excluída. Os outros voltam para a sua.'
      }
      footer={
        <>
          <Button variant="secondary" disabled={pending} onClick={onClose}>
            Cancelar
          </Button>
          <Button disabled={folder === ''} pending={pending} onClick={() => onRestore({ ids, folder })}>
            Restaurar
          </Button>
        </>
      }
    >
      <Field label="Pasta">
        {(control) => <FolderCombobox {...control} value={folder} disabled={pending} onChange={setFolder} />}
      </Field>
    </Dialog>
  );
}
