// The error boundaries of the route table: one for each layout, and one for the app as a whole.
import { lazy, Suspense } from 'react';
import { useRouteError } from 'react-router';

import { DocumentTitle } from '~/components/page-header';
import { toUserMessage } from '~/lib/api/error-messages';

import { ReloadPanel, ReloadReason } from './reload-panel';

export const FAILURE_TITLE = 'Não foi possível abrir a página';

/** Loaded on failure only: the app itself must not carry the sign-in pages. */
const LazyAuthErrorPage = lazy(async () => ({ default: (await import('./auth-error-page')).AuthErrorPage }));

/** The error of the last chunk that could not be loaded. A new release removes the chunks of the one before. */
let lastPreloadError: unknown;
if (typeof window !== 'undefined') {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    lastPreloadError = payload;
  });
}

/** The whole app failed, or a layout did. */
export function ErrorPage() {
  return <ReloadPanel title={FAILURE_TITLE} {...useFailure()} />;
}

/** A page failed, or its chunk could not be loaded. It takes the place of the page; the layout around it stays. */
export function LayoutErrorPage() {
  return (
    <div className="flex flex-col items-center gap-2 py-16 text-center">
      <DocumentTitle title={FAILURE_TITLE} />
      <h1 className="text-2xl">{FAILURE_TITLE}</h1>
      <ReloadReason {...useFailure()} />
    </div>
  );
}

/** A page outside both areas failed. */
export function AuthErrorPage() {
  return (
    <Suspense>
      <LazyAuthErrorPage />
    </Suspense>
  );
}

/** The failure that an error boundary shows. */
export function useFailure() {
  const error = useRouteError();
  return {
    reason: toUserMessage(error, 'Ocorreu um erro inesperado. Recarregue a página para continuar.'),
    isStaleRelease: error === lastPreloadError,
  };
}
