import { type ReactNode, useId, useState } from 'react';

import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { Dialog } from '~/ui/dialog';

import { UnsavedChangesGuard } from './unsaved-changes-guard';

const UNSAVED = 'O que foi preenchido ainda não foi salvo.';

type FormDialogProps = {
  open: boolean;
  title: string;
  /** Whether something was written that closing would lose. */
  dirty: boolean;
  pending: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
};

/** A short form over a list. It asks before it is closed with something unsaved. */
export function FormDialog({ open, title, dirty, pending, onSubmit, onClose, children }: FormDialogProps) {
  const id = useId();
  const [asking, setAsking] = useState(false);
  const close = () => (dirty ? setAsking(true) : onClose());
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
            Salvar
          </Button>
        </>
      }
    >
      <form
        id={id}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!pending) onSubmit();
        }}
        className="flex flex-col gap-5"
      >
        {children}
      </form>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Sair sem salvar?"
        description={UNSAVED}
        cancel="Continuar editando"
        confirm="Sair sem salvar"
        danger
        onConfirm={() => {
          setAsking(false);
          onClose();
        }}
      />
      {/* Of those on the screen only the newest is asked: with nothing to lose this one must not be. */}
      {open && dirty && <UnsavedChangesGuard enabled description={UNSAVED} />}
    </Dialog>
  );
}
