import { useRouteError } from 'react-router';

import { explain } from '~/lib/api/error-messages';

import { RetryPanel } from './reload-panel';

/** Why the last file of a screen that could not be had was not: a release takes away those of the one before. */
let missing: unknown;
if (typeof window !== 'undefined') {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    missing = payload;
  });
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
