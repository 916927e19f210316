// Service worker: caches the app shell, so the app opens without a network and shows that it is offline. It never
// caches personal data: requests for documents and APIs bypass it.
// `scripts/service-worker.ts` replaces the values of these two constants.
const FILES = [];
const CACHE = 'shell-';

const SERVER_PATHS = /^\/(?:auth|rest|storage|own|calendario|cancelar-avisos)\//;

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)));
});

// A new release activates after all tabs of the old one are closed, and deletes the old caches. The first release
// claims the page that registered it, so this page works offline without a reload.
self.addEventListener('activate', (event) => {
  event.waitUntil(deleteOldCaches().then(() => self.clients.claim()));
});

async function deleteOldCaches() {
  for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate' && !SERVER_PATHS.test(pathname))
    event.respondWith(networkFirst(request, '/'));
  else if (pathname === '/config.json') event.respondWith(networkFirst(request, pathname));
  else if (FILES.includes(pathname)) event.respondWith(cacheFirst(request));
});

/** Network first, with the cached copy as fallback. */
async function networkFirst(request, path) {
  try {
    return await fetch(request);
  } catch (error) {
    const cached = await caches.match(path, { cacheName: CACHE });
    if (cached) return cached;
    throw error;
  }
}

/** Cache first, for files with a content hash in the name. */
async function cacheFirst(request) {
  return (await caches.match(request, { cacheName: CACHE, ignoreVary: true })) ?? fetch(request);
}
