// Short notices at the edge of the screen. An error stays until it is dismissed; any other notice leaves by itself.

export type ToastMessage = {
  title: string;
  description?: string | undefined;
  variant?: 'default' | 'error';
};
export type ActiveToast = ToastMessage & { id: number };

/** Maximum number of toasts on the screen. One more removes the oldest notice, or the oldest error if all are errors. */
export const MAX_TOASTS = 4;

let activeToasts: readonly ActiveToast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Shows a message below the others, and returns its id. A message that is already on the screen is not repeated. */
export function toast(message: ToastMessage): number {
  lastId += 1;
  const others = activeToasts.filter((other) => !isSame(other, message));
  if (others.length >= MAX_TOASTS) {
    const notice = others.findIndex(({ variant }) => variant !== 'error');
    others.splice(Math.max(notice, 0), 1);
  }
  set([...others, { ...message, id: lastId }]);
  return lastId;
}

export function dismissToast(id: number): void {
  set(activeToasts.filter((other) => other.id !== id));
}

export const toastStore = {
  get: () => activeToasts,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function isSame(one: ToastMessage, other: ToastMessage): boolean {
  return one.title === other.title && one.description === other.description && one.variant === other.variant;
}

function set(next: readonly ActiveToast[]): void {
  activeToasts = next;
  for (const listener of listeners) listener();
}
