import { CircleAlert, CircleCheck, LoaderCircle, X } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';

import { dismissToast, type ActiveToast, toastStore } from '~/lib/toast';

import { cn } from './cn';

/** Time after which a toast that is not an error leaves by itself. */
const SHOWN_FOR_MS = 5000;
/** The same for a toast with a button, which takes longer to reach. */
const SHOWN_WITH_BUTTON_MS = 12_000;

/**
 * The toasts, errors below the rest. On a phone errors are at the top, because the button of a form is at the bottom.
 * Both live regions are always in the page, since a screen reader announces only changes inside a region that it already
 * knows. An error interrupts the reader; any other notice waits.
 */
export function Toaster() {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.get);
  return (
    <div className="pointer-events-none z-60 sm:fixed sm:right-6 sm:bottom-6 print:hidden">
      <div
        role="status"
        aria-live="polite"
        aria-atomic={false}
        className="z-60 max-sm:fixed max-sm:inset-x-4 max-sm:bottom-(--toast-bottom,1rem)"
      >
        {toasts.map((toast) => !isError(toast) && <ToastCard key={toast.id} toast={toast} />)}
      </div>
      <div
        role="alert"
        aria-live="assertive"
        aria-atomic={false}
        className="z-60 max-sm:fixed max-sm:inset-x-4 max-sm:top-[calc(4rem+var(--banner,0px))]"
      >
        {toasts.map((toast) => isError(toast) && <ToastCard key={toast.id} toast={toast} />)}
      </div>
    </div>
  );
}

const isError = ({ variant }: ActiveToast) => variant === 'error';

function ToastCard({ toast }: { toast: ActiveToast }) {
  const [held, setHeld] = useState(false);
  const { id, action } = toast;
  const failed = isError(toast);
  const stays = failed || toast.variant === 'progress';
  const [Icon, color] = failed
    ? [CircleAlert, 'text-danger']
    : stays
      ? [LoaderCircle, 'text-primary animate-spin']
      : [CircleCheck, 'text-success'];

  useEffect(() => {
    if (held || stays) return undefined;
    const timer = setTimeout(() => dismissToast(id), action ? SHOWN_WITH_BUTTON_MS : SHOWN_FOR_MS);
    return () => clearTimeout(timer);
  }, [held, stays, id, action]);

  return (
    <div
      data-slot="toast"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className={cn(
        'mt-2 flex w-full animate-[rise_160ms_ease-out] items-start gap-3 rounded-xl border bg-card py-3 pr-2 pl-4 shadow-popover sm:w-96',
        // An error stays until it is dismissed. Clicks pass through it to the controls that it covers.
        failed ? 'border-danger' : 'pointer-events-auto border-border',
      )}
    >
      <Icon size={20} aria-hidden className={cn('mt-0.5', color)} />
      <div className="min-w-0 flex-1 py-px">
        <p className="font-medium">{toast.title}</p>
        {toast.description && (
          <p className="text-muted-foreground mt-0.5 text-sm wrap-anywhere">{toast.description}</p>
        )}
      </div>
      {action && (
        <button
          type="button"
          onClick={() => {
            dismissToast(id);
            action.run();
          }}
          className="text-primary -my-2 min-h-11 shrink-0 rounded px-2 font-medium hover:underline"
        >
          {action.label}
        </button>
      )}
      <button
        type="button"
        aria-label="Dispensar aviso"
        onClick={() => dismissToast(id)}
        className="text-muted-foreground hover:text-foreground pointer-events-auto -my-2 flex size-11 shrink-0 items-center justify-center rounded"
      >
        <X size={18} aria-hidden />
      </button>
    </div>
  );
}
