// Layout of all screens: skip link, navigation progress, server status and toasts.
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

/** Moves focus to the main content after a navigation (WCAG 2.2, success criterion 2.4.3). */
function useFocusMainOnNavigation() {
  const { pathname } = useLocation();
  const previousPathname = useRef(pathname);
  useEffect(() => {
    if (previousPathname.current === pathname) return;
    previousPathname.current = pathname;
    document.querySelector<HTMLElement>(`#${MAIN_ID}`)?.focus({ preventScroll: true });
  }, [pathname]);
}
