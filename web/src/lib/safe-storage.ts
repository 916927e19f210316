// What the browser keeps for us. What it refuses, by a setting or because it is full, the page keeps while it lives.

export const inBrowser = keeper(() => localStorage);
export const inTab = keeper(() => sessionStorage);

function keeper(open: () => Storage) {
  const refused = new Map<string, string>();
  const ask = <Said>(question: (storage: Storage) => Said, otherwise: Said): Said => {
    try {
      return question(open());
    } catch {
      return otherwise;
    }
  };
  return {
    get: (key: string) => refused.get(key) ?? ask((storage) => storage.getItem(key), null),
    set(key: string, value: string): void {
      try {
        open().setItem(key, value);
        refused.delete(key);
      } catch {
        refused.set(key, value);
      }
    },
    drop(key: string): void {
      refused.delete(key);
      ask((storage) => storage.removeItem(key), undefined);
    },
    keys: () => [
      ...refused.keys(),
      ...ask((storage) => Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? ''), []),
    ],
  };
}
