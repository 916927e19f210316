// Reachability of the server. After a failed request the health endpoint is polled until it responds.

export type ServerStatus = 'up' | 'offline' | 'down';

const RETRY_MS = 5_000;

let down = false;
let probing = false;
const listeners = new Set<() => void>();

export const serverStatus = {
  get: (): ServerStatus => {
    if (!navigator.onLine) return 'offline';
    return down ? 'down' : 'up';
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** Checks after a failed request whether the server responds, because the failure may concern that request alone. */
export function checkServerStatus(): void {
  if (!probing) void pollUntilUp();
}

async function pollUntilUp(): Promise<void> {
  probing = true;
  while (!(await pingServer())) {
    set(true);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  probing = false;
  set(false);
}

export async function pingServer(): Promise<boolean> {
  try {
    const { ok } = await fetch('/health', { cache: 'no-store' });
    return ok;
  } catch {
    return false;
  }
}

function set(next: boolean): void {
  if (down === next) return;
  down = next;
  notifyListeners();
}

function notifyListeners(): void {
  for (const listener of listeners) listener();
}

if (typeof window !== 'undefined') {
  window.addEventListener('online', notifyListeners);
  window.addEventListener('offline', notifyListeners);
}
