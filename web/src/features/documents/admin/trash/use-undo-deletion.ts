// The button 'Desfazer' of the toast after a deletion.
import { documentKeys } from '~/features/documents/api/documents';
import { restoreDocuments } from '~/features/documents/api/trash';
import { folderKeys } from '~/features/folders/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { pluralize } from '~/lib/format';
import type { ToastMessage } from '~/lib/toast';

/** Returns a function that describes the button for deleted documents. */
export function useUndoDeletion(): (ids: readonly string[]) => ToastMessage['action'] {
  const undo = useApiMutation({
    mutationFn: restoreDocuments,
    invalidates: [documentKeys.all, folderKeys.all],
    successToast: (_, { ids }) => ({
      title: pluralize(ids.length, 'documento restaurado', 'documentos restaurados'),
    }),
    errorToast: { title: 'Erro ao restaurar' },
  });
  return (ids) => ({ label: 'Desfazer', run: () => undo.mutate({ ids }) });
}
