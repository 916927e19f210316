import '~/ui/styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';

import { session, sessionReady } from '~/features/auth/session';
import { queryClient } from '~/lib/api/query-client';

import { routes } from './routes';

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no #root.');
void begin(root);

/** In tasks of their own, so that a phone can show and answer in between. */
async function begin(place: Element): Promise<void> {
  await pause();
  const router = createBrowserRouter(routes);
  await pause();
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
  // Whenever someone signs in or out, here or in another tab, the guard looks again at the page in view.
  // That it could not be found out who is there, the guard itself reports.
  void sessionReady().then(
    () => session.subscribe(() => void router.revalidate()),
    () => {},
  );
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

// The shell of the app stays when the network goes. While developing there is nothing to keep.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  window.addEventListener('load', () => void navigator.serviceWorker.register('/sw.js'));
}
