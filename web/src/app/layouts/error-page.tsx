// Error boundary of the routes.
import { useRouteError } from 'react-router';

import { toUserMessage } from '~/lib/api/error-messages';

import { ReloadPanel } from './reload-panel';

/** The last error of loading a chunk. A new release removes the chunks of the previous one. */
let lastPreloadError: unknown;
if (typeof window !== 'undefined') {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    lastPreloadError = payload;
  });
}

/** Shows errors that no screen handles, including missing chunks of an older release. */
export function ErrorPage() {
  const error = useRouteError();
  return (
    <ReloadPanel
      title="Não foi possível abrir a página"
      reason={toUserMessage(error, 'Ocorreu um erro inesperado. Recarregue a página para continuar.')}
      isStaleRelease={error === lastPreloadError}
    />
  );
}
