// Page of the mailed links that confirm an e-mail change. Only the click consumes the token, because mail scanners open
// links: they must not complete the change without the person.
import { useState } from 'react';
import { useNavigate } from 'react-router';

import { confirmEmailWithLink } from '~/features/auth/api/confirm-email';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { toUserMessage } from '~/lib/api/error-messages';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';

import { AuthLayout } from './auth-layout';
import { forgetLinkParams, readLinkParams, useReloadOnNewLink } from './link-params';
import { useSession } from './session';
import { SignInLink } from './sign-in-link';

const FALLBACK = 'Não foi possível confirmar o endereço. Tente novamente.';

/** Reads the token of the mailed link. */
export function loader(): string | null {
  return readLinkParams('email').get('token_hash');
}

export { ConfirmEmailPage as Component };

function ConfirmEmailPage() {
  const navigate = useNavigate();
  const { user } = useSession();
  // Read once: the token is forgotten when it was used.
  const [tokenHash] = useState(loader);
  useReloadOnNewLink();
  const [isHalf, setHalf] = useState(false);
  const confirm = useApiMutation({
    mutationFn: confirmEmailWithLink,
    successToast: (isComplete) => (isComplete ? { title: 'E-mail alterado com sucesso!' } : null),
    errorToast: { title: 'Erro', fallback: FALLBACK },
    onSettled: () => forgetLinkParams('email'),
    onSuccessIfMounted: (isComplete) => {
      setHalf(!isComplete);
      if (isComplete) void navigate(paths.profile(), { replace: true });
    },
  });
  return (
    <AuthLayout
      area="client"
      title="Confirmar e-mail"
      description="Falta só um clique para confirmar este endereço."
    >
      <div className="flex flex-col gap-5">
        {confirm.error && <Alert variant="danger">{toUserMessage(confirm.error, FALLBACK)}</Alert>}
        {tokenHash === null && (
          <Alert variant="info">Abra o link que chegou por e-mail para confirmar o endereço.</Alert>
        )}
        {isHalf && (
          <Alert variant="success">
            Um dos endereços está confirmado. Abra também o link enviado ao outro endereço.
          </Alert>
        )}
        {tokenHash !== null && !isHalf && (
          <Button pending={confirm.isPending} onClick={() => confirm.mutate(tokenHash)} className="w-full">
            Confirmar endereço
          </Button>
        )}
        <SignInLink to={user ? paths.profile() : paths.login()}>
          {user ? 'Ir para Meu Perfil' : 'Ir para o Login'}
        </SignInLink>
      </div>
    </AuthLayout>
  );
}
