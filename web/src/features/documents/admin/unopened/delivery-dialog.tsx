// Dialog that marks documents as delivered by other means.
import { useState } from 'react';

import { FormDialog } from '~/components/form-dialog';
import { documentKeys } from '~/features/documents/api/documents';
import { markDelivered } from '~/features/documents/api/unopened';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { pluralize } from '~/lib/format';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

type DeliveryDialogProps = {
  ids: readonly string[];
  onClose: () => void;
  onDone: () => void;
};

export function DeliveryDialog({ ids, onClose, onDone }: DeliveryDialogProps) {
  const [note, setNote] = useState('');
  const [error, setError] = useState<string>();
  const marking = useApiMutation({
    mutationFn: markDelivered,
    invalidates: [documentKeys.all],
    // The documents may have left the list, and `ids`, before the answer.
    successToast: (_, { ids: marked }) => ({
      title: pluralize(
        marked.length,
        'documento marcado como entregue',
        'documentos marcados como entregues',
      ),
    }),
    errorToast: { title: 'Erro ao marcar como entregue' },
    onSuccessIfMounted: onDone,
  });
  const submit = () => {
    if (note.trim() === '') setError('Diga como o documento foi entregue.');
    else marking.mutate({ ids, note: note.trim() });
  };
  return (
    <FormDialog
      open
      title="Marcar como entregue por outro meio"
      dirty={note !== '' && !marking.isPending}
      pending={marking.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-muted-foreground">
        {ids.length === 1
          ? 'O documento sai desta lista, e o cliente continua a vê-lo no portal.'
          : `${pluralize(ids.length, 'documento sai', 'documentos saem')} desta lista, e os clientes continuam a vê-los no portal.`}
      </p>
      <Field label="Como foi entregue *" {...(error !== undefined && { error })}>
        {(control) => (
          <Input
            {...control}
            value={note}
            maxLength={500}
            placeholder="Impresso, entregue no balcão"
            onChange={({ target }) => {
              setNote(target.value);
              setError(undefined);
            }}
          />
        )}
      </Field>
    </FormDialog>
  );
}
