// Toasts.
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';

import { dismissToast, type ActiveToast, toastStore } from '~/lib/toast';

import { cn } from './cn';

/** Time until a toast disappears, in milliseconds. */
const SHOWN_FOR_MS = 5000;

/**
 * Shows the current toast. Both live regions are always mounted, because screen readers announce only changes inside an
 * existing region. Errors are assertive, other messages polite.
 */
export function Toaster() {
  const toast = useSyncExternalStore(toastStore.subscribe, toastStore.get);
  const failed = toast?.variant === 'error';
  return (
    <div className="pointer-events-none fixed inset-x-4 bottom-(--toast-bottom,1rem) z-60 flex justify-center sm:inset-x-auto sm:right-6 sm:bottom-6 print:hidden">
      <div role="status" aria-live="polite">
        {toast && !failed && <ToastCard key={toast.id} toast={toast} />}
      </div>
      <div role="alert" aria-live="assertive">
        {toast && failed && <ToastCard key={toast.id} toast={toast} />}
      </div>
    </div>
  );
}

function ToastCard({ toast }: { toast: ActiveToast }) {
  const [isPaused, setIsPaused] = useState(false);
  const failed = toast.variant === 'error';

  useEffect(() => {
    if (isPaused) return undefined;
    const timer = setTimeout(dismissToast, SHOWN_FOR_MS);
    return () => clearTimeout(timer);
  }, [isPaused]);

  return (
    <div
      data-slot="toast"
      onPointerEnter={() => setIsPaused(true)}
      onPointerLeave={() => setIsPaused(false)}
      onFocus={() => setIsPaused(true)}
      onBlur={() => setIsPaused(false)}
      className={cn(
        'pointer-events-auto flex w-full animate-[rise_160ms_ease-out] items-start gap-3 rounded-xl border bg-card py-3 pr-2 pl-4 shadow-popover sm:w-96',
        failed ? 'border-danger' : 'border-border',
      )}
    >
      {failed ? (
        <CircleAlert size={20} aria-hidden className="text-danger mt-0.5" />
      ) : (
        <CircleCheck size={20} aria-hidden className="text-success mt-0.5" />
      )}
      <div className="min-w-0 flex-1 py-px">
        <p className="font-medium">{toast.title}</p>
        {toast.description && (
          <p className="text-muted-foreground mt-0.5 text-sm wrap-anywhere">{toast.description}</p>
        )}
      </div>
      <button
        type="button"
        aria-label="Dispensar aviso"
        onClick={dismissToast}
        className="text-muted-foreground hover:text-foreground -my-2 flex size-11 shrink-0 items-center justify-center rounded"
      >
        <X size={18} aria-hidden />
      </button>
    </div>
  );
}
