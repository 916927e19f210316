// Everything that a page of the app finds stored in the browser.

import type { Page } from '@playwright/test';

/** All values of IndexedDB and of the caches, and the addresses of the caches, as one text. */
export async function storedText(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const texts: string[] = [];
    for (const { name = '' } of await indexedDB.databases()) {
      const opening = indexedDB.open(name);
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        opening.addEventListener('success', () => resolve(opening.result));
        opening.addEventListener('error', () => reject(new Error(`${name} cannot be opened.`)));
      });
      for (const storeName of database.objectStoreNames) {
        const reading = database.transaction(storeName).objectStore(storeName).getAll();
        await new Promise((resolve) => {
          reading.addEventListener('success', resolve);
        });
        for (const value of reading.result) {
          const text = JSON.stringify(value, (_, part: unknown) => (part instanceof Map ? [...part] : part));
          texts.push(text ?? '');
        }
      }
      database.close();
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const { pathname } = new URL(request.url);
        texts.push(pathname);
        // The app's own files contain no data.
        if (!pathname.startsWith('/assets/')) texts.push((await (await cache.match(request))?.text()) ?? '');
      }
    }
    return texts.filter((text) => text !== '').join('\n');
  });
}
