// Closing a dialog with unsaved changes.
import { type ReactNode, useState } from 'react';

import { ConfirmDialog } from '~/ui/confirm-dialog';

import { UnsavedChangesGuard } from './unsaved-changes-guard';

const UNSAVED = 'O que foi preenchido ainda não foi salvo.';

type GuardedCloseOptions = {
  open: boolean;
  /** Whether the dialog has unsaved changes. */
  dirty: boolean;
  /** The sentence about the changes that would be lost. */
  description?: string;
  onClose: () => void;
};

/**
 * Closing the dialog or leaving the page with unsaved changes requires a confirmation. Returns the function that closes
 * the dialog, and the element that asks, which belongs into the dialog.
 */
export function useGuardedClose({
  open,
  dirty,
  description = UNSAVED,
  onClose,
}: GuardedCloseOptions): [close: () => void, guard: ReactNode] {
  const [isConfirming, setIsConfirming] = useState(false);
  const close = () => (dirty ? setIsConfirming(true) : onClose());
  const guard = (
    <>
      <ConfirmDialog
        open={isConfirming}
        onOpenChange={setIsConfirming}
        title="Sair sem salvar?"
        description={description}
        cancel="Continuar editando"
        confirm="Sair sem salvar"
        danger
        onConfirm={() => {
          setIsConfirming(false);
          onClose();
        }}
      />
      {/* React Router supports one active blocker. A form without changes must not replace the blocker of the page. */}
      {open && dirty && <UnsavedChangesGuard enabled description={description} />}
    </>
  );
  return [close, guard];
}
