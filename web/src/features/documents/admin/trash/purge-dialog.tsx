// Confirmation of the removal of documents for good.
import { documentKeys } from '~/features/documents/api/documents';
import { emptyTrash, purgeDocuments } from '~/features/documents/api/trash';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { pluralize } from '~/lib/format';
import { ConfirmDialog } from '~/ui/confirm-dialog';

import { removalToast } from '../removal-toast';

/** Some documents, or all of the trash. */
export type PurgedDocuments = { ids: readonly string[]; name?: string } | 'all';

type PurgeDialogProps = {
  /** Null closes the dialog. */
  documents: PurgedDocuments | null;
  onClose: () => void;
  onDone?: () => void;
};

const failure = { title: 'Erro ao excluir definitivamente' };

export function PurgeDialog({ documents, onClose, onDone }: PurgeDialogProps) {
  const purge = useApiMutation({
    mutationFn: (chosen: PurgedDocuments) => (chosen === 'all' ? emptyTrash() : purgeDocuments(chosen.ids)),
    invalidates: [documentKeys.all],
    successToast: (removal, chosen) =>
      removalToast(removal, {
        counted: `${pluralize(removal.count, 'documento excluído', 'documentos excluídos')} definitivamente`,
        ...(chosen === 'all' && { title: 'Lixeira esvaziada' }),
        errorTitle: failure.title,
      }),
    errorToast: failure,
    onSettled: onClose,
    onSuccessIfMounted: () => onDone?.(),
  });
  const isAll = documents === 'all';
  return (
    <ConfirmDialog
      open={documents !== null}
      onOpenChange={(open) => !open && onClose()}
      title={isAll ? 'Esvaziar lixeira' : 'Excluir definitivamente'}
      description={
        <p>
          <Subject documents={documents} /> Esta ação não pode ser desfeita.
        </p>
      }
      confirm={isAll ? 'Esvaziar' : 'Excluir definitivamente'}
      danger
      pending={purge.isPending}
      onConfirm={() => documents && purge.mutate(documents)}
    />
  );
}

function Subject({ documents }: { documents: PurgedDocuments | null }) {
  if (documents === null) return null;
  if (documents === 'all') return 'Todos os documentos da lixeira e os seus arquivos serão apagados.';
  const { ids, name } = documents;
  if (name === undefined)
    return `${pluralize(ids.length, 'documento será apagado', 'documentos serão apagados')} com os seus arquivos.`;
  return (
    <>
      O documento <strong className="text-foreground font-medium wrap-anywhere">{name}</strong> e o seu
      arquivo serão apagados.
    </>
  );
}
