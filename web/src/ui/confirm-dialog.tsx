// Confirmation dialog.
import { AlertDialog as Base } from '@base-ui/react/alert-dialog';
import type { ReactNode } from 'react';

import { Button } from './button';
import { backdrop, popup, Footer } from './dialog';

type ConfirmDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: ReactNode;
  /** Content below the description. A screen reader does not read it out when the dialog opens. */
  children?: ReactNode;
  /** The label of the confirm button. */
  confirm: string;
  cancel?: string;
  danger?: boolean;
  pending?: boolean;
  /** The element that receives the focus after closing; true: the one that had it before opening. */
  finalFocus?: () => HTMLElement | true;
  onConfirm: () => void;
};

/** A confirmation of an important action. Esc cancels; a click outside has no effect. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  confirm,
  cancel = 'Cancelar',
  danger = false,
  pending = false,
  finalFocus,
  onConfirm,
}: ConfirmDialogProps) {
  return (
    // A pending action cannot be canceled, so the dialog stays open.
    <Base.Root open={open} onOpenChange={(next) => !pending && onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className={backdrop} />
        <Base.Popup className={popup} {...(finalFocus && { finalFocus })}>
          <Base.Title className="px-6 pt-6 text-lg">{title}</Base.Title>
          <div className="text-muted-foreground px-6 pt-2 pb-6">
            <Base.Description render={<div />}>{description}</Base.Description>
            {children}
          </div>
          <Footer>
            <Base.Close disabled={pending} render={<Button variant="secondary">{cancel}</Button>} />
            <Button
              variant={danger ? 'danger' : 'primary'}
              pending={pending}
              // The button remains clickable during the exit animation. The check prevents a second confirmation.
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
