// What every screen stands in: the skip link, the sign of a page on its way, the toast, and the last resort.
import { useEffect, useRef, useState } from 'react';
import { Outlet, ScrollRestoration, useLocation, useNavigation, useRouteError } from 'react-router';

import { explain } from '~/lib/api/errors';
import { isAlive } from '~/lib/api/server-status';
import { Button } from '~/ui/button';
import { PageSpinner } from '~/ui/spinner';
import { Toaster } from '~/ui/toaster';

import { ConnectionBanner } from './server-status-banner';

export const MAIN_ID = 'conteudo';
const BOOT_LIMIT_MS = 10_000;
const LOOK_AGAIN_MS = 5_000;
const RELOADED_KEY = 'portaria-reloaded';

/** Why the last file of a screen that could not be had was not: a release takes away those of the one before. */
let missing: unknown;
if (typeof window !== 'undefined') {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    missing = payload;
  });
}

export function Root() {
  useFocusOnArrival();
  return (
    <>
      <a
        href={`#${MAIN_ID}`}
        className="print-hide bg-primary text-on-primary fixed top-2 left-2 z-60 -translate-y-20 rounded px-4 py-2.5 font-medium focus:translate-y-0"
      >
        Pular para o conteúdo
      </a>
      <NavigationProgress />
      <Outlet />
      <ScrollRestoration />
      <ConnectionBanner />
      <Toaster />
    </>
  );
}

/** The spinner while it is found out who is there; after ten seconds, a way to try again. */
export function Boot() {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), BOOT_LIMIT_MS);
    return () => clearTimeout(timer);
  }, []);
  if (late) {
    return (
      <RetryPanel
        title="O servidor está demorando a responder"
        reason="Verifique sua conexão com a internet. Se ela estiver funcionando, tente novamente em alguns instantes."
      />
    );
  }
  return (
    <main className="flex min-h-dvh items-center justify-center [font-family:system-ui]">
      <PageSpinner />
    </main>
  );
}

/** The last resort for what no screen could handle, a chunk of an older release included. */
export function RootError() {
  const error = useRouteError();
  return (
    <RetryPanel
      title="Não foi possível abrir a página"
      reason={explain(error, 'Ocorreu um erro inesperado. Recarregue a página para continuar.')}
      isOld={error === missing}
    />
  );
}

type RetryPanelProps = { title: string; reason: string; isOld?: boolean };

function RetryPanel({ title, reason, isOld = false }: RetryPanelProps) {
  useReturn(isOld);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-2 px-6 text-center">
      <h1 className="text-2xl">{title}</h1>
      <p className="text-muted max-w-md" role="alert">
        {reason}
      </p>
      <Button className="mt-4" onClick={() => location.reload()}>
        Tentar novamente
      </Button>
    </main>
  );
}

/**
 * Loads the page again once a server that was out of reach is back, or has a newer release; a fault of the page's own is
 * left to its reader.
 */
function useReturn(isOld: boolean) {
  useEffect(() => {
    let wasGone = false;
    const look = async () => {
      const alive = await isAlive();
      if (alive && (wasGone || (isOld && isFirstTry()))) location.reload();
      wasGone ||= !alive;
    };
    void look();
    const timer = setInterval(() => void look(), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isOld]);
}

/** Each release leads to the next one once: a file that is missing there too would lead to it for ever. */
function isFirstTry(): boolean {
  try {
    if (sessionStorage.getItem(RELOADED_KEY) === import.meta.url) return false;
    sessionStorage.setItem(RELOADED_KEY, import.meta.url);
    return true;
  } catch {
    // Where nothing is kept, no try could be told from the first.
    return false;
  }
}

/** A thin line at the top, only when a page takes long enough to be waited for. */
function NavigationProgress() {
  const busy = useNavigation().state === 'loading';
  return (
    <div
      aria-hidden
      className={
        busy
          ? 'pointer-events-none fixed inset-x-0 top-0 z-60 h-0.5 overflow-hidden opacity-100 transition-opacity delay-200'
          : 'pointer-events-none fixed inset-x-0 top-0 z-60 h-0.5 overflow-hidden opacity-0'
      }
    >
      <div className="bg-primary h-full w-1/3 animate-[sweep_1s_linear_infinite]" />
    </div>
  );
}

/** After a navigation the keyboard and the screen reader start at the new content, not where the old link was. */
function useFocusOnArrival() {
  const { pathname } = useLocation();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    document.querySelector<HTMLElement>(`#${MAIN_ID}`)?.focus({ preventScroll: true });
  }, [pathname]);
}
