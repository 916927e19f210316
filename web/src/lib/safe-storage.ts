// What the browser keeps for us. What it refuses, by a setting or because it is full, the page keeps while it lives.

export const safeLocalStorage = createSafeStorage(() => localStorage);
export const safeSessionStorage = createSafeStorage(() => sessionStorage);

function createSafeStorage(open: () => Storage) {
  const memoryFallback = new Map<string, string>();
  const tryStorage = <Said>(question: (storage: Storage) => Said, otherwise: Said): Said => {
    try {
      return question(open());
    } catch {
      return otherwise;
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
        (storage) => Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? ''),
        [],
      ),
    ],
  };
}
