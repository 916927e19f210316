import { AlertDialog as Base } from '@base-ui/react/alert-dialog';
import type { ReactNode } from 'react';

import { Button } from './button';
import { backdrop, popup, Footer } from './dialog';

type ConfirmDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: ReactNode;
  /** The word on the button that does it. */
  confirm: string;
  cancel?: string;
  danger?: boolean;
  pending?: boolean;
  onConfirm: () => void;
};

/** Asks before something that matters. A click outside does not answer; Esc cancels. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  description,
  confirm,
  cancel = 'Cancelar',
  danger = false,
  pending = false,
  onConfirm,
}: ConfirmDialogProps) {
  return (
    // What is under way cannot be called off, so nothing looks as if it could.
    <Base.Root open={open} onOpenChange={(next) => !pending && onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className={backdrop} />
        <Base.Popup className={popup}>
          <Base.Title className="px-6 pt-6 text-lg">{title}</Base.Title>
          <Base.Description render={<div />} className="text-muted-foreground px-6 pt-2 pb-6">
            {description}
          </Base.Description>
          <Footer>
            <Base.Close disabled={pending} render={<Button variant="secondary">{cancel}</Button>} />
            <Button
              variant={danger ? 'danger' : 'primary'}
              pending={pending}
              // While it fades it can still be clicked, and a double click would answer twice.
              onClick={() => open && onConfirm()}
            >
              {confirm}
            </Button>
          </Footer>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
