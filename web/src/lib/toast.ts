// Short notices at the edge of the screen. An error stays until it is dismissed; any other notice leaves by itself.

export type ToastMessage = {
  title: string;
  description?: string | undefined;
  variant?: 'default' | 'error';
  /** A button, such as 'Desfazer'. The toast leaves with the click. */
  action?: { label: string; run: () => void } | undefined;
};
export type ActiveToast = ToastMessage & { id: number };

/** Maximum number of toasts on the screen. One more removes the oldest. */
export const MAX_TOASTS = 4;

let activeToasts: readonly ActiveToast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Shows a message below the others, and returns its id. A message that is already on the screen is not repeated. */
export function toast(message: ToastMessage): number {
  lastId += 1;
  const others = activeToasts.filter(
    ({ title, description }) => title !== message.title || description !== message.description,
  );
  set([...others, { ...message, id: lastId }].slice(-MAX_TOASTS));
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

function set(next: readonly ActiveToast[]): void {
  activeToasts = next;
  for (const listener of listeners) listener();
}
