// One toast at a time, for five seconds; a new one takes the place of the old.

export type ToastMessage = {
  title: string;
  description?: string | undefined;
  tone?: 'default' | 'destructive';
};
export type ToastShown = ToastMessage & { id: number };

let shown: ToastShown | null = null;
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
  get: () => shown,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function set(next: ToastShown | null): void {
  shown = next;
  for (const listener of listeners) listener();
}
