// What every screen stands in: the skip link, the sign of a page on its way, and the toast.
import { useEffect, useRef } from 'react';
import { Outlet, ScrollRestoration, useLocation } from 'react-router';

import { Toaster } from '~/ui/toaster';

import { NavigationProgress } from './navigation-progress';
import { ServerStatusBanner } from './server-status-banner';

export const MAIN_ID = 'conteudo';

export function RootLayout() {
  useFocusMainOnNavigation();
  return (
    <>
      <a
        href={`#${MAIN_ID}`}
        className="bg-primary text-primary-foreground fixed top-2 left-2 z-60 -translate-y-20 rounded px-4 py-2.5 font-medium focus:translate-y-0 print:hidden"
      >
        Pular para o conteúdo
      </a>
      <NavigationProgress />
      <Outlet />
      <ScrollRestoration />
      <ServerStatusBanner />
      <Toaster />
    </>
  );
}

/** After a navigation the keyboard and the screen reader start at the new content, not where the old link was. */
function useFocusMainOnNavigation() {
  const { pathname } = useLocation();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    document.querySelector<HTMLElement>(`#${MAIN_ID}`)?.focus({ preventScroll: true });
  }, [pathname]);
}
