// Service worker: caches the app shell, so the app opens without a network and shows that it is offline. It never
// caches personal data: requests for documents and APIs bypass it. It also shows push messages.
// `scripts/service-worker.ts` replaces the values of these two constants.
const FILES = [];
const CACHE = 'shell-';

/** Addresses below which the server answers with no page of the app (`crates/portaria/src/http/router.rs`). */
const SERVER_PATHS = /^\/(?:auth|rest|storage|account|realtime|calendario|cancelar-avisos|office)\//;

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
  const { origin, pathname, searchParams } = new URL(request.url);
  if (origin !== self.location.origin) return;
  if (request.method === 'POST' && pathname === '/auth/v1/logout' && searchParams.get('scope') !== 'others')
    event.respondWith(forwardSignOut(event));
  if (request.method !== 'GET') return;
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

self.addEventListener('push', (event) => {
  if (event.data) event.waitUntil(showNotification(event.data.json()));
});

/** Shows a message. Several of a kind become one notification with their number, which opens the start page. */
async function showNotification({ title, body, kind, path }) {
  const [shown] = await self.registration.getNotifications({ tag: kind });
  const count = (shown?.data.count ?? 0) + 1;
  const start = path.startsWith('/admin') ? '/admin' : '/';
  const isSamePage = !shown || shown.data.path === path;
  await self.registration.showNotification(title, {
    body: count > 1 ? `${body} (${count})` : body,
    tag: kind,
    icon: '/icons/192.png',
    lang: 'pt-BR',
    data: { count, path: isSamePage ? path : start },
  });
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data.path));
});

/** Focuses the window that shows the page, or opens one: a page with unsaved changes must not be replaced. */
async function openPage(path) {
  const url = new URL(path, self.location.origin);
  if (url.origin !== self.location.origin) return;
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const open = windows.find((client) => client.url === url.href);
  await (open ? open.focus() : self.clients.openWindow(url.href));
}

/** A sign-out that failed keeps the session, and so its notifications. */
async function forwardSignOut(event) {
  const response = await fetch(event.request);
  if (response.ok || [401, 403, 404].includes(response.status)) event.waitUntil(endPushSubscription());
  return response;
}

/** At a sign-out: the next person at this browser must not see the notifications of the one before. */
async function endPushSubscription() {
  const subscription = await self.registration.pushManager?.getSubscription();
  await subscription?.unsubscribe();
  for (const notification of await self.registration.getNotifications()) notification.close();
}
