// Dialog.
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';

import { cn } from './cn';

export const backdrop =
  'fixed inset-0 z-40 bg-overlay transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0';

// A bottom sheet on small screens, a centered dialog on others. While it closes it takes no second click of a double click.
export const popup =
  'fixed z-50 flex max-h-[90dvh] flex-col overflow-y-auto bg-card shadow-popover data-nested-dialog-open:brightness-75 transition-[opacity,transform] duration-150 ease-out max-sm:inset-x-0 max-sm:bottom-0 max-sm:rounded-t-xl max-sm:pb-[env(safe-area-inset-bottom)] max-sm:data-ending-style:translate-y-6 max-sm:data-starting-style:translate-y-6 sm:top-1/2 sm:left-1/2 sm:w-[calc(100vw-3rem)] sm:max-w-md sm:-translate-1/2 sm:rounded-xl sm:border sm:border-border data-ending-style:pointer-events-none data-ending-style:opacity-0 data-starting-style:opacity-0';

/** Keeps a dialog open at the second click of a double click, which lands on the backdrop and not on the opener. */
export function ignoreSecondClick(onOpenChange: (open: boolean) => void) {
  return (open: boolean, details: BaseDialog.Root.ChangeEventDetails) => {
    const { reason, event } = details;
    if (reason === 'outside-press' && event instanceof MouseEvent && event.detail > 1) details.cancel();
    else onOpenChange(open);
  };
}

type DialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  className?: string;
  children?: ReactNode;
  /** The buttons at the bottom. */
  footer?: ReactNode;
  /** The element that receives focus on opening; by default the first control. */
  initialFocus?: () => HTMLElement | null;
  /** The element that receives focus on closing; by default the previously focused element. */
  finalFocus?: () => HTMLElement | null;
};

export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  className,
  children,
  footer,
  initialFocus,
  finalFocus,
}: DialogProps) {
  return (
    <BaseDialog.Root open={open} onOpenChange={ignoreSecondClick(onOpenChange)}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={backdrop} />
        <BaseDialog.Popup
          {...(initialFocus && { initialFocus })}
          {...(finalFocus && { finalFocus })}
          // A control that gets the focus is not left under the footer.
          className={cn(popup, footer !== undefined && 'scroll-pb-36 sm:scroll-pb-24', className)}
        >
          <div className="flex items-start justify-between gap-4 p-6 pb-0">
            <BaseDialog.Title className="text-lg">{title}</BaseDialog.Title>
            <BaseDialog.Close
              aria-label="Fechar janela"
              className="touch-target text-muted-foreground hover:text-foreground -mt-2.5 -mr-3 inline-flex items-center justify-center rounded"
            >
              <X size={20} aria-hidden />
            </BaseDialog.Close>
          </div>
          {description !== undefined && (
            <BaseDialog.Description className="text-muted-foreground px-6 pt-2">
              {description}
            </BaseDialog.Description>
          )}
          <div className="p-6">{children}</div>
          {footer && <Footer>{footer}</Footer>}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

export function Footer({ children }: { children: ReactNode }) {
  return (
    <div className="border-border bg-card sticky bottom-0 flex flex-col-reverse gap-2 border-t px-6 py-4 sm:flex-row sm:justify-end">
      {children}
    </div>
  );
}
