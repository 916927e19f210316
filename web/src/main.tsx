// Entry point of the app.
import '~/ui/styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';

import { followSession, session, sessionReady } from '~/features/auth/session';
import { queryClient } from '~/lib/api/query-client';
import { whenIdle } from '~/lib/when-idle';

import { routes } from './routes';

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no #root.');
void mount(root);

/** Starts the app in separate tasks, so the browser can render and handle input between them. */
async function mount(container: Element): Promise<void> {
  await nextTask();
  const router = createBrowserRouter(routes);
  await nextTask();
  createRoot(container).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
  // A sign-in or sign-out, also in another tab, runs the auth middleware again. The middleware reports errors of
  // `sessionReady` itself.
  void sessionReady().then(
    () => session.subscribe(() => void router.revalidate()),
    () => {},
  );
  const unsubscribe = router.subscribe(({ initialized }) => {
    if (!initialized) return;
    unsubscribe();
    whenIdle(() => {
      void followSession();
      void import('~/app/background-work')
        .then(({ startBackgroundWork }) => startBackgroundWork())
        .catch(() => {});
    });
  });
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

// The service worker caches the app shell for use without a network. Development builds have none.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  window.addEventListener('load', () => void navigator.serviceWorker.register('/sw.js'));
}
