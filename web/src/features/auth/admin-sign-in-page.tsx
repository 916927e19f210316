// Sign-in page of the back office.
import '~/lib/api/error-messages.admin';
import { paths } from '~/paths';

import { AuthLayout } from './auth-layout';
import { LazyMfaChallenge } from './lazy-mfa-challenge';
import { LazyPasskeySignIn } from './passkeys/lazy-passkey-sign-in';
import { useSession } from './session';
import { SignInForm } from './sign-in-form';
import { SignInLink } from './sign-in-link';

export { AdminSignInPage as Component };

function AdminSignInPage() {
  const { user } = useSession();
  if (user?.pendingStep === 'mfa') return <LazyMfaChallenge area="admin" />;
  return (
    <AuthLayout area="admin" title="Admin Login" description="Acesso restrito ao painel administrativo.">
      <SignInForm>
        <LazyPasskeySignIn autofill />
        <SignInLink to={paths.forgotPassword()}>Esqueceu a senha?</SignInLink>
      </SignInForm>
    </AuthLayout>
  );
}
