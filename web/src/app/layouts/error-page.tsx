// The error boundaries of the route table: one for each layout, and one for the app as a whole.
import { ArrowLeft } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Link, useLocation, useRouteError } from 'react-router';

import { DocumentTitle } from '~/components/page-header';
import { toUserMessage } from '~/lib/api/error-messages';
import { paths } from '~/paths';

import { ReloadPanel, ReloadReason } from './reload-panel';

const TITLE = 'Não foi possível abrir a página';

/** Loaded on failure only: the app itself must not carry the sign-in pages. */
const AuthLayout = lazy(async () => ({
  default: (await import('~/features/auth/auth-layout')).AuthLayout,
}));

/** The error of the last chunk that could not be loaded. A new release removes the chunks of the one before. */
let lastPreloadError: unknown;
if (typeof window !== 'undefined') {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    lastPreloadError = payload;
  });
}

/** The whole app failed, or a layout did. */
export function ErrorPage() {
  return <ReloadPanel title={TITLE} {...useFailure()} />;
}

/** A page failed, or its chunk could not be loaded. It takes the place of the page; the layout around it stays. */
export function LayoutErrorPage() {
  return (
    <div className="flex flex-col items-center gap-2 py-16 text-center">
      <DocumentTitle title={TITLE} />
      <h1 className="text-2xl">{TITLE}</h1>
      <ReloadReason {...useFailure()} />
    </div>
  );
}

/** A page outside both areas failed. It leads back to the sign-in page of its area. */
export function AuthErrorPage() {
  const failure = useFailure();
  const { pathname } = useLocation();
  const isAdmin = pathname === paths.adminLogin() || pathname === paths.setup();
  return (
    <Suspense>
      <AuthLayout area={isAdmin ? 'admin' : 'client'} title={TITLE}>
        <div className="flex flex-col items-start gap-4">
          <ReloadReason {...failure} />
          <Link
            to={isAdmin ? paths.adminLogin() : paths.login()}
            className="text-primary inline-flex min-h-11 items-center gap-2 rounded px-2 text-[15px] font-medium hover:underline"
          >
            <ArrowLeft size={18} aria-hidden />
            Voltar para o Login
          </Link>
        </div>
      </AuthLayout>
    </Suspense>
  );
}

function useFailure() {
  const error = useRouteError();
  return {
    reason: toUserMessage(error, 'Ocorreu um erro inesperado. Recarregue a página para continuar.'),
    isStaleRelease: error === lastPreloadError,
  };
}
