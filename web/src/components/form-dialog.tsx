// Dialog with a form.
import { type ReactNode, useId, useState } from 'react';

import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { Dialog } from '~/ui/dialog';

import { UnsavedChangesGuard } from './unsaved-changes-guard';

const UNSAVED = 'O que foi preenchido ainda não foi salvo.';

type FormDialogProps = {
  open: boolean;
  title: string;
  /** Whether the form has unsaved changes. */
  dirty: boolean;
  pending: boolean;
  /** The label of the button that submits the form. */
  submit?: string;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
};

/** A dialog with one form. Closing it with unsaved changes requires a confirmation. */
export function FormDialog({
  open,
  title,
  dirty,
  pending,
  submit = 'Salvar',
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const id = useId();
  const [isConfirming, setIsConfirming] = useState(false);
  const close = () => (dirty ? setIsConfirming(true) : onClose());
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && close()}
      title={title}
      className="sm:max-w-lg"
      footer={
        <>
          <Button variant="secondary" onClick={close}>
            Cancelar
          </Button>
          <Button type="submit" form={id} pending={pending}>
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={id}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          // React events pass through portals: a form around the dialog must not be sent as well.
          event.stopPropagation();
          if (!pending) onSubmit();
        }}
        className="flex flex-col gap-5"
      >
        {children}
      </form>
      <ConfirmDialog
        open={isConfirming}
        onOpenChange={setIsConfirming}
        title="Sair sem salvar?"
        description={UNSAVED}
        cancel="Continuar editando"
        confirm="Sair sem salvar"
        danger
        onConfirm={() => {
          setIsConfirming(false);
          onClose();
        }}
      />
      {/* React Router supports one active blocker. A form without changes must not replace the blocker of the page. */}
      {open && dirty && <UnsavedChangesGuard enabled description={UNSAVED} />}
    </Dialog>
  );
}
