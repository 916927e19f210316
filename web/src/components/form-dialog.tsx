// Dialog with a form.
import { type ReactNode, useId } from 'react';

import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';

import { useGuardedClose } from './use-guarded-close';

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
  const [close, guard] = useGuardedClose({ open, dirty, onClose });
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
      {guard}
    </Dialog>
  );
}
