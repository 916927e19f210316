// Dialog that deletes a folder.
import { useState } from 'react';

import { documentKeys } from '~/features/documents/api/documents';
import { deleteFolder, type AdminFolder } from '~/features/folders/admin-api';
import { folderKeys } from '~/features/folders/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { pluralize } from '~/lib/format';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { Field } from '~/ui/field';
import { Select } from '~/ui/select';

type DeleteFolderDialogProps = {
  folder: AdminFolder | null;
  existing: readonly AdminFolder[];
  open: boolean;
  onClose: () => void;
};

/** Asks for a target folder if the folder has documents. */
export function DeleteFolderDialog({ folder, existing, open, onClose }: DeleteFolderDialogProps) {
  const [target, setTarget] = useState('');
  const [error, setError] = useState<string>();
  const removal = useApiMutation({
    mutationFn: deleteFolder,
    invalidates: [folderKeys.all, documentKeys.all],
    successToast: { title: 'Pasta excluída com sucesso!' },
    errorToast: { title: 'Erro ao excluir pasta' },
    onSuccess: onClose,
  });
  const documents = folder?.documents ?? 0;
  const targets = existing.filter(({ id, archived }) => id !== folder?.id && !archived);
  const confirm = () => {
    if (folder === null) return;
    if (documents === 0) removal.mutate({ id: folder.id, target: null });
    else if (target === '') setError('Escolha a pasta que recebe os documentos.');
    else removal.mutate({ id: folder.id, target });
  };
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title="Confirmar Exclusão"
      description={
        <div className="flex flex-col gap-4">
          <p>
            Tem certeza que deseja excluir a pasta{' '}
            <strong className="text-foreground font-medium wrap-anywhere">{folder?.name}</strong>? Esta ação
            não pode ser desfeita.
          </p>
          {documents > 0 && (
            <Field
              label={`Mover ${pluralize(documents, 'documento', 'documentos')} para *`}
              required
              error={error}
              hint="Os clientes continuam a ver os documentos, na outra pasta."
            >
              {(control) => (
                <Select
                  {...control}
                  value={target}
                  placeholder="Selecione uma pasta"
                  options={targets.map(({ id, name }) => ({ value: id, label: name }))}
                  onChange={({ target: { value } }) => {
                    setError(undefined);
                    setTarget(value);
                  }}
                />
              )}
            </Field>
          )}
        </div>
      }
      confirm={documents > 0 ? 'Mover e excluir' : 'Excluir'}
      danger
      pending={removal.isPending}
      onConfirm={confirm}
    />
  );
}
