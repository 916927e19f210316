import { ArrowLeft } from 'lucide-react';
import { Link, useLocation } from 'react-router';

import { AuthLayout } from '~/features/auth/auth-layout';
import { paths } from '~/paths';

import { FAILURE_TITLE, useFailure } from './error-page';
import { ReloadReason } from './reload-panel';

/** A page outside both areas failed. It leads back to the sign-in page of its area. */
export function AuthErrorPage() {
  const failure = useFailure();
  const { pathname } = useLocation();
  const isAdmin = pathname === paths.adminLogin() || pathname === paths.setup();
  return (
    <AuthLayout area={isAdmin ? 'admin' : 'client'} title={FAILURE_TITLE}>
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
  );
}
