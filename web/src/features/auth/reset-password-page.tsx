import { lazy, Suspense, useEffect, useState } from 'react';
import { Link, useLoaderData, useNavigate } from 'react-router';

import { PasswordField } from '~/components/form-fields';
import { renewInvitation } from '~/features/auth/api/invitation';
import { redeemPasswordLink, updateUserPassword } from '~/features/auth/api/password';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { toUserMessage } from '~/lib/api/error-messages';
import { getErrorInfo, isRefusedPassword } from '~/lib/api/errors';
import { serverConfig } from '~/lib/api/server-config';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';

import { AuthLayout } from './auth-layout';
import { LazyMfaChallenge } from './lazy-mfa-challenge';
import { forgetLinkParams, readLinkParams, useReloadOnNewLink } from './link-params';
import { signOut, signOutEverywhere, session, useSession } from './session';

const PasskeyRequired = lazy(async () => ({
  default: (await import('./passkeys/passkey-required')).PasskeyRequired,
}));

const SUCCESS = 'Senha atualizada com sucesso! Você pode fazer login com sua nova senha.';
const FALLBACK = 'Falha ao atualizar senha.';
const LEAVE_AFTER_MS = 2000;

/**
 * Reads the token of the mailed link. Only the submission consumes the single-use token, because mail scanners open
 * links.
 */
export function loader() {
  const link = readLinkParams('password');
  return {
    tokenHash: link.get('token_hash'),
    type: link.get('type') === 'invite' ? ('invite' as const) : ('recovery' as const),
    expired: link.get('error_code') === 'otp_expired',
  };
}

export { ResetPasswordPage as Component };

function ResetPasswordPage() {
  // The loader runs again when the session changes and then finds no token. The first result is kept.
  const [link] = useState(useLoaderData<typeof loader>());
  useReloadOnNewLink();
  const [tokenHash, setTokenHash] = useState(link.tokenHash);
  const [updated, setUpdated] = useState(false);
  const [needsPasskey, setNeedsPasskey] = useState(false);
  const { user } = useSession();
  const min = serverConfig().password_min;
  const form = useZodForm(
    async () => (await import('./schemas')).resetPasswordSchema(min),
    { password: '', confirmPassword: '' },
    { invalidToast: (message) => ({ title: message }) },
  );

  const update = useApiMutation({
    async mutationFn(password: string) {
      if (tokenHash !== null) {
        await redeemPasswordLink(tokenHash, link.type);
        forgetLinkParams('password');
        setTokenHash(null);
      }
      // A mailed link does not replace MFA. A user with a factor passes the challenge first.
      if (session.get().user?.pendingStep === 'mfa') return false;
      try {
        await updateUserPassword(password);
      } catch (error) {
        // Where MFA is required, a passkey without a factor is the second step.
        if (getErrorInfo(error).code !== 'insufficient_aal') throw error;
        setNeedsPasskey(true);
        return false;
      }
      return true;
    },
    successToast: (done) => (done ? { title: 'Senha atualizada' } : null),
    errorToast: { title: 'Erro', fallback: FALLBACK },
    onSuccess: setUpdated,
    onError(error) {
      if (getErrorInfo(error).code === 'otp_expired') forgetLinkParams('password');
      if (isRefusedPassword(error)) {
        form.setError('password', { message: toUserMessage(error, FALLBACK) }, { shouldFocus: true });
      }
    },
  });

  const navigate = useNavigate();
  const leaving = useApiMutation({
    mutationFn: async (loginPath: string) => {
      await signOut(() => {});
      return navigate(loginPath);
    },
    errorToast: {
      title: 'Erro ao fazer logout',
      fallback: 'Não foi possível encerrar a sessão. Tente novamente.',
    },
  });

  const loginPath = user?.isAdmin ? paths.adminLogin() : paths.login();
  useLeaveAfter(updated, loginPath);

  const canUpdate = tokenHash !== null || user !== null;
  if (tokenHash === null && user?.pendingStep === 'mfa') {
    return <LazyMfaChallenge area={user.isAdmin ? 'admin' : 'client'} />;
  }
  if (needsPasskey && user) {
    return (
      <AuthLayout area={user.isAdmin ? 'admin' : 'client'} title="Chave de acesso">
        <Suspense>
          <PasskeyRequired onSignedIn={() => setNeedsPasskey(false)} />
        </Suspense>
      </AuthLayout>
    );
  }
  return (
    <AuthLayout area="client" title="Atualizar Senha" description="Escolha uma nova senha para a sua conta.">
      <form
        noValidate
        onSubmit={form.handleSubmit(({ password }) => update.mutate(password))}
        className="flex flex-col gap-5"
      >
        {updated && <Alert variant="success">{SUCCESS}</Alert>}
        {!updated && tokenHash === null && user?.pendingStep === 'new-password' && (
          <Alert variant="info">
            A senha que o escritório definiu só serve para entrar. Escolha uma que só você conheça para
            continuar.
          </Alert>
        )}
        {update.error && !isRefusedPassword(update.error) && (
          <Alert variant="danger">
            {toUserMessage(update.error, FALLBACK)}{' '}
            {(!canUpdate || getErrorInfo(update.error).code === 'otp_expired') &&
              (link.type === 'invite' && link.tokenHash !== null ? (
                <NewInvitation tokenHash={link.tokenHash} />
              ) : user !== null ? (
                <ContinueLink isAdmin={user.isAdmin} />
              ) : (
                <NewLink />
              ))}
          </Alert>
        )}
        {link.expired && user !== null && !updated && !update.error && (
          <Alert variant="info">
            Este link expirou ou já foi usado. A senha que você escolher aqui será a da conta que está aberta,{' '}
            <span className="wrap-anywhere">{user.email}</span>.{' '}
            {user.pendingStep === null && <ContinueLink isAdmin={user.isAdmin} />}
          </Alert>
        )}
        {!canUpdate && !updated && !update.error && (
          <Alert variant="info">
            {link.expired
              ? 'Este link expirou ou já foi usado. '
              : 'Abra esta página pelo link recebido por e-mail. '}
            <NewLink />
          </Alert>
        )}
        <PasswordField
          {...form.bind('password')}
          label="Nova senha"
          hint={`Mínimo de ${min} caracteres.`}
          required
          autoComplete="new-password"
        />
        <PasswordField
          {...form.bind('confirmPassword')}
          label="Confirmar nova senha"
          required
          autoComplete="new-password"
        />
        <Button type="submit" pending={update.isPending} disabled={updated} className="w-full">
          Atualizar Senha
        </Button>
        {!updated && user?.pendingStep === 'new-password' && (
          <Button variant="quiet" pending={leaving.isPending} onClick={() => leaving.mutate(loginPath)}>
            Sair
          </Button>
        )}
      </form>
    </AuthLayout>
  );
}

function NewLink() {
  return (
    <Link to={paths.forgotPassword()} className="text-primary font-medium underline">
      Pedir um novo link
    </Link>
  );
}

/** The way on for a signed-in user, who cannot open the page that sends links. */
function ContinueLink({ isAdmin }: { isAdmin: boolean }) {
  return (
    <Link to={isAdmin ? paths.adminDashboard() : paths.home()} className="text-primary font-medium underline">
      Continuar sem trocar a senha
    </Link>
  );
}

/** Sends another invitation to the address of the expired one, without a form. */
function NewInvitation({ tokenHash }: { tokenHash: string }) {
  const [isSent, setIsSent] = useState(false);
  const renewal = useApiMutation({
    mutationFn: renewInvitation,
    errorToast: { title: 'Erro', fallback: 'Não foi possível enviar outro convite.' },
    onSuccess: () => setIsSent(true),
  });
  // An accepted invitation cannot be renewed. The person then has a password.
  if (renewal.error) return <NewLink />;
  if (isSent) return <span role="status">Enviamos outro convite para o mesmo e-mail.</span>;
  return (
    <button
      type="button"
      disabled={renewal.isPending}
      onClick={() => renewal.mutate(tokenHash)}
      className="text-primary cursor-pointer font-medium underline"
    >
      Enviar outro convite
    </button>
  );
}

/** Signs the user out two seconds after the update, without a toast, and redirects to the sign-in page. */
function useLeaveAfter(updated: boolean, loginPath: string) {
  const navigate = useNavigate();
  // The path depends on the user who changed the password. Signing out must not change it.
  const [destination, setDestination] = useState(loginPath);
  if (!updated && destination !== loginPath) setDestination(loginPath);

  useEffect(() => {
    if (!updated) return undefined;
    const timer = setTimeout(() => {
      void signOutEverywhere().finally(() => void navigate(destination));
    }, LEAVE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [updated, destination, navigate]);
}
