// Wrappers around `localStorage` and `sessionStorage` that never throw. When the browser blocks storage or the quota is
// exceeded, values live in memory until the page is unloaded.

export const safeLocalStorage = createSafeStorage(() => localStorage);
export const safeSessionStorage = createSafeStorage(() => sessionStorage);

function createSafeStorage(open: () => Storage) {
  const memoryFallback = new Map<string, string>();
  const tryStorage = <Result>(access: (storage: Storage) => Result, fallback: Result): Result => {
    try {
      return access(open());
    } catch {
      return fallback;
    }
  };
  return {
    get: (key: string) => memoryFallback.get(key) ?? tryStorage((storage) => storage.getItem(key), null),
    set(key: string, value: string): void {
      try {
        open().setItem(key, value);
        memoryFallback.delete(key);
      } catch {
        memoryFallback.set(key, value);
      }
    },
    remove(key: string): void {
      memoryFallback.delete(key);
      tryStorage((storage) => storage.removeItem(key), undefined);
    },
    keys: () => [
      ...memoryFallback.keys(),
      ...tryStorage(
        (storage) => Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? ''),
        [],
      ),
    ],
  };
}
