import { useRouteError } from 'react-router';

import { toUserMessage } from '~/lib/api/error-messages';

import { ReloadPanel } from './reload-panel';

/** Why the last file of a screen that could not be had was not: a release takes away those of the one before. */
let lastPreloadError: unknown;
if (typeof window !== 'undefined') {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    lastPreloadError = payload;
  });
}

/** The last resort for what no screen could handle, a chunk of an older release included. */
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
