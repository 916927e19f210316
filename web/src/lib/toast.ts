// Store of the visible toast. A new toast replaces the current one.

export type ToastMessage = {
  title: string;
  description?: string | undefined;
  variant?: 'default' | 'error';
};
export type ActiveToast = ToastMessage & { id: number };

let activeToast: ActiveToast | null = null;
let lastId = 0;
const listeners = new Set<() => void>();

export function toast(message: ToastMessage): void {
  lastId += 1;
  set({ ...message, id: lastId });
}

export function dismissToast(): void {
  set(null);
}

export const toastStore = {
  get: () => activeToast,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function set(next: ActiveToast | null): void {
  activeToast = next;
  for (const listener of listeners) listener();
}
