// Keeps the shell of the app, so that it opens without a network and says so. It never touches what the server
// answers about a person: no document, no answer of an interface passes through here.
// `scripts/service-worker.ts` puts the shell's files, and their fingerprint, in the place of these two.
const FILES = [];
const CACHE = 'shell-';

const INTERFACES = /^\/(?:auth|rest|storage|own|calendario|cancelar-avisos)\//;

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)));
});

// The next release takes over once no tab of the old one is left; then what the old one kept goes. The first one
// serves at once the page that brought it, which may be without a server before it is loaded again.
self.addEventListener('activate', (event) => {
  event.waitUntil(clear().then(() => self.clients.claim()));
});

async function clear() {
  for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate' && !INTERFACES.test(pathname)) event.respondWith(fresh(request, '/'));
  else if (pathname === '/config.json') event.respondWith(fresh(request, pathname));
  else if (FILES.includes(pathname)) event.respondWith(kept(request));
});

/** From the network, or as it was when this release came. */
async function fresh(request, path) {
  try {
    return await fetch(request);
  } catch (error) {
    const cached = await caches.match(path, { cacheName: CACHE });
    if (cached) return cached;
    throw error;
  }
}

/** A file whose name changes with its content. */
async function kept(request) {
  return (await caches.match(request, { cacheName: CACHE, ignoreVary: true })) ?? fetch(request);
}
