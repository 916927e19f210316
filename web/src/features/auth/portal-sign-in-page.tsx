// Sign-in page of the clients.
import { useState } from 'react';
import { useLoaderData } from 'react-router';

import { paths } from '~/paths';
import { Alert } from '~/ui/alert';

import { AuthLayout } from './auth-layout';
import { type EmailLinkResult, consumeEmailLinkResult } from './email-link-result';
import { LazyMfaChallenge } from './lazy-mfa-challenge';
import { OfficeContact } from './office-contact';
import { LazyPasskeySignIn } from './passkeys/lazy-passkey-sign-in';
import { useSession } from './session';
import { SignInForm } from './sign-in-form';
import { SignInLink } from './sign-in-link';

/** E-mail change links redirect here if the browser has no session. */
export function loader(): EmailLinkResult {
  return consumeEmailLinkResult();
}

export { PortalSignInPage as Component };

function PortalSignInPage() {
  // The loader runs again when the session changes and then finds no result. The first result is kept.
  const [result] = useState(useLoaderData<typeof loader>());
  const { user } = useSession();
  if (user?.pendingStep === 'mfa') return <LazyMfaChallenge area="client" />;
  return (
    <AuthLayout area="client" title="Acesso Cliente">
      {result === 'first-address-confirmed' && (
        <Alert variant="success" className="mb-6">
          Um dos endereços está confirmado. Abra também o link enviado ao outro endereço.
        </Alert>
      )}
      {result === 'expired' && (
        <Alert variant="danger" className="mb-6">
          Este link expirou ou já foi usado. Entre para pedir outro.
        </Alert>
      )}
      <SignInForm>
        <LazyPasskeySignIn autofill />
        <SignInLink to={paths.signInCode()}>Entrar com código</SignInLink>
        <div className="-my-3 flex flex-wrap justify-center gap-x-4">
          <SignInLink to={paths.forgotPassword()}>Esqueceu a senha?</SignInLink>
          <SignInLink to={paths.firstAccess()}>Primeiro acesso</SignInLink>
        </div>
      </SignInForm>
      <OfficeContact />
    </AuthLayout>
  );
}
