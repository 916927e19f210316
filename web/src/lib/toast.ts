// Short notices at the edge of the screen. An error stays until it is dismissed, a notice about work in progress until the
// next one; any other notice leaves by itself.

export type ToastMessage = {
  title: string;
  description?: string | undefined;
  variant?: 'default' | 'error' | 'progress';
  /**
   * Whether the message gives way to an error on the screen. The failure of a query in the background must not hide that
   * what a person sent did not arrive.
   */
  yields?: boolean;
  /** A button, such as 'Desfazer'. The toast leaves with the click. */
  action?: { label: string; run: () => void } | undefined;
};
export type ActiveToast = ToastMessage & { id: number };

/** Maximum number of toasts with a button on the screen. One more removes the oldest. */
export const MAX_WITH_BUTTON = 3;

let activeToasts: readonly ActiveToast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/**
 * Shows a message and returns its id. One toast is on the screen at a time: a message replaces the one before. Toasts with
 * a button stay beside it, because 'Desfazer' exists nowhere else.
 */
export function toast(message: ToastMessage): number {
  lastId += 1;
  if (message.yields && activeToasts.some(({ variant, yields }) => variant === 'error' && !yields))
    return lastId;
  const withButton = activeToasts.filter(({ action }) => action !== undefined);
  const kept = message.action ? withButton.slice(1 - MAX_WITH_BUTTON) : withButton;
  set([...kept, { ...message, id: lastId }]);
  return lastId;
}

export function dismissToast(id: number): void {
  set(activeToasts.filter((other) => other.id !== id));
}

/** Does what the newest button on the screen does. */
export function runNewestAction(): void {
  const newest = activeToasts.findLast(({ action }) => action !== undefined);
  if (!newest) return;
  dismissToast(newest.id);
  newest.action?.run();
}

export const toastStore = {
  get: () => activeToasts,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function set(next: readonly ActiveToast[]): void {
  activeToasts = next;
  for (const listener of listeners) listener();
}
