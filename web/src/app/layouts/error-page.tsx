// The error boundaries of the route table: one for each layout, and one for the app as a whole.
import { useLocation, useRouteError } from 'react-router';

import { TextLink } from '~/components/text-link';
import { toUserMessage } from '~/lib/api/error-messages';
import { paths } from '~/paths';

import { ReloadPanel } from './reload-panel';

/** The error of the last chunk that could not be loaded. A new release removes the chunks of the one before. */
let lastPreloadError: unknown;
if (typeof window !== 'undefined') {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    lastPreloadError = payload;
  });
}

/** The whole app failed, or a layout did. */
export function ErrorPage() {
  return <ReloadPanel {...useFailure()} />;
}

/** A page failed, or its chunk could not be loaded. It takes the place of the page; the layout around it stays. */
export function LayoutErrorPage() {
  return <ReloadPanel {...useFailure()} isInLayout />;
}

/** A page outside both areas failed. It leads back to the sign-in page of its area. */
export function AuthErrorPage() {
  const { pathname } = useLocation();
  const isAdmin = pathname === paths.adminLogin() || pathname === paths.setup();
  return (
    <ReloadPanel {...useFailure()}>
      <TextLink to={isAdmin ? paths.adminLogin() : paths.login()} className="py-2.5 font-medium">
        Voltar para o Login
      </TextLink>
    </ReloadPanel>
  );
}

function useFailure() {
  const error = useRouteError();
  return {
    title: 'Não foi possível abrir a página',
    reason: toUserMessage(error, 'Ocorreu um erro inesperado. Recarregue a página para continuar.'),
    isStaleRelease: error === lastPreloadError,
  };
}
