// Confirmation dialog for a document that contains the tax ID of another client.
import type { Client } from '~/features/clients/api/clients';
import { ConfirmDialog } from '~/ui/confirm-dialog';

import { describeMatch } from './detect-wrong-client';

type WrongClientDialogProps = {
  open: boolean;
  others: readonly Client[];
  /** Name of the selected client. */
  client: string;
  onCancel: () => void;
  onConfirm: () => void;
};

export function WrongClientDialog({ open, others, client, onCancel, onConfirm }: WrongClientDialogProps) {
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(wanted) => !wanted && onCancel()}
      title="Documento de outro cliente?"
      description={
        <div className="flex flex-col gap-2">
          <p>
            O texto do arquivo traz{' '}
            <strong className="text-foreground font-medium">{describeMatch(others)}</strong>.
          </p>
          <p>
            O documento vai para{' '}
            <strong className="text-foreground font-medium wrap-anywhere">{client}</strong>. Confira antes de
            salvar.
          </p>
        </div>
      }
      cancel="Voltar e corrigir"
      confirm="Salvar assim mesmo"
      onConfirm={onConfirm}
    />
  );
}
