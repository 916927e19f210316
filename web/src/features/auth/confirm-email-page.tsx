// Page of the mailed links that confirm an e-mail change. Only the click consumes the token, because mail scanners open
// links: they must not complete the change without the person.
import { useState } from 'react';
import { useLoaderData, useNavigate } from 'react-router';

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

/** Reads the token of the mailed link, or the result of one that was used when it was opened. */
export function loader() {
  const link = readLinkParams('email');
  const tokenHash = link.get('token_hash');
  if (tokenHash === null) forgetLinkParams('email');
  return { tokenHash, isHalf: link.has('message'), isExpired: link.has('error_code') };
}

export { ConfirmEmailPage as Component };

function ConfirmEmailPage() {
  const navigate = useNavigate();
  const { user } = useSession();
  // The loader runs again when the session changes and then finds no token. The first result is kept.
  const [{ tokenHash, ...opened }] = useState(useLoaderData<typeof loader>());
  useReloadOnNewLink();
  const [isHalf, setHalf] = useState(opened.isHalf);
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
  const isWaiting = tokenHash !== null && !isHalf;
  return (
    <AuthLayout
      area="client"
      title="Confirmar e-mail"
      description={isWaiting ? 'Falta só um clique para confirmar este endereço.' : undefined}
    >
      <div className="flex flex-col gap-5">
        {confirm.error && <Alert variant="danger">{toUserMessage(confirm.error, FALLBACK)}</Alert>}
        {opened.isExpired && <Alert variant="danger">Este link expirou ou já foi usado. Peça um novo.</Alert>}
        {tokenHash === null && !isHalf && !opened.isExpired && (
          <Alert variant="info">Abra o link que chegou por e-mail para confirmar o endereço.</Alert>
        )}
        {isHalf && (
          <Alert variant="success">
            Um dos endereços está confirmado. Abra também o link enviado ao outro endereço.
          </Alert>
        )}
        {isWaiting && (
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
