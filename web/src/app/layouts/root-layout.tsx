// Layout of all screens: skip link, navigation progress, server status and toasts.
import { useEffect, useRef } from 'react';
import { type Location, Outlet, ScrollRestoration, useLocation } from 'react-router';

import { focusHeading, MAIN_ID } from '~/lib/focus-heading';
import { Toaster } from '~/ui/toaster';

import { NavigationProgress } from './navigation-progress';
import { ServerStatusBanner } from './server-status-banner';

export function RootLayout() {
  useFocusHeadingOnNavigation();
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
      <ScrollRestoration getKey={scrollKey} />
      <ServerStatusBanner />
      <Toaster />
    </>
  );
}

/** All pages that are opened by their address have the same key. A page must not begin at the position of another. */
function scrollKey({ key, pathname }: Location): string {
  return key === 'default' ? pathname : key;
}

/** Moves focus to the heading after a navigation (WCAG 2.2, success criterion 2.4.3). */
function useFocusHeadingOnNavigation() {
  const { pathname } = useLocation();
  const previousPathname = useRef(pathname);
  useEffect(() => {
    if (previousPathname.current === pathname) return;
    previousPathname.current = pathname;
    focusHeading();
  }, [pathname]);
}
