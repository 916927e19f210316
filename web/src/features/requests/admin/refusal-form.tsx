// The reason why the office refuses an answer.
import { type FormEvent, useState } from 'react';

import { refuseItem, type RefusalResult } from '~/features/requests/api/admin-requests';
import { requestKeys } from '~/features/requests/api/requests';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { Button } from '~/ui/button';
import { Field } from '~/ui/field';
import { Textarea } from '~/ui/input';

type RefusalFormProps = {
  itemId: string;
  /** The `answered_at` of the answer that was checked. */
  seen: string | null;
  reason: string;
  onReason: (reason: string) => void;
  onCancel: () => void;
  onDone: (result: RefusalResult) => void;
};

export function RefusalForm({ itemId, seen, reason, onReason, onCancel, onDone }: RefusalFormProps) {
  const [error, setError] = useState<string>();
  const refusal = useApiMutation({
    mutationFn: refuseItem,
    invalidates: [requestKeys.all],
    successToast: (result) =>
      result === 'refused'
        ? { title: 'Item recusado', description: 'O cliente vê o motivo e pode enviar de novo.' }
        : null,
    errorToast: { title: 'Erro ao recusar' },
    onSuccessIfMounted: onDone,
  });

  const send = (event: FormEvent) => {
    event.preventDefault();
    if (refusal.isPending) return;
    if (reason.trim() === '') return setError('Diga por que o item foi recusado.');
    refusal.mutate({ id: itemId, reason: reason.trim(), seen });
  };

  return (
    <form noValidate onSubmit={send} className="flex flex-col gap-4">
      <Field label="Motivo *" required hint="O cliente lê este texto." error={error}>
        {(control) => (
          <Textarea
            {...control}
            rows={3}
            maxLength={500}
            placeholder="A foto está ilegível. Envie o extrato em PDF."
            value={reason}
            onChange={({ target }) => {
              onReason(target.value);
              setError(undefined);
            }}
          />
        )}
      </Field>
      <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        <Button variant="secondary" onClick={onCancel}>
          Cancelar
        </Button>
        <Button variant="danger" type="submit" pending={refusal.isPending}>
          Recusar
        </Button>
      </div>
    </form>
  );
}
