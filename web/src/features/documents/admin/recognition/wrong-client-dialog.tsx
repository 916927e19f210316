// Confirmation dialog for a document that names somebody else than its client.
import { ConfirmDialog } from '~/ui/confirm-dialog';

import { ForeignTaxIds } from './foreign-tax-ids';
import type { ForeignTaxId } from './recognize';

type WrongClientDialogProps = {
  open: boolean;
  foreign: readonly ForeignTaxId[];
  /** Name of the selected client. */
  client: string;
  onCancel: () => void;
  onConfirm: () => void;
};

export function WrongClientDialog({ open, foreign, client, onCancel, onConfirm }: WrongClientDialogProps) {
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(wanted) => !wanted && onCancel()}
      title="Documento de outro cliente?"
      description={
        <div className="flex flex-col gap-2">
          <p>
            <ForeignTaxIds foreign={foreign} />
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
