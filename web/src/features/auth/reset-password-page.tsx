import { lazy, Suspense, useEffect, useState } from 'react';
import { Link, useLoaderData, useNavigate } from 'react-router';

import { spendPasswordLink, updateUserPassword } from '~/features/auth/api/password';
import { useAction } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { explain } from '~/lib/api/error-messages';
import { failureOf } from '~/lib/api/errors';
import { config } from '~/lib/api/server-config';
import { takeFragment } from '~/lib/hash-params';
import { toast } from '~/lib/toast';
import { newPasswordSchema } from '~/lib/validation';
import { paths } from '~/paths';
import { Notice } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Field } from '~/ui/field';
import { PasswordInput } from '~/ui/password-input';

import { AuthLayout } from './auth-layout';
import { endSession, session, useSession } from './session';

/** For administrators alone, so that clients do not load it. */
const SecondStep = lazy(async () => ({ default: (await import('./mfa-challenge')).SecondStep }));

const SUCCESS = 'Senha atualizada com sucesso! Você pode fazer login com sua nova senha.';
const FALLBACK = 'Falha ao atualizar senha.';
const LEAVE_AFTER_MS = 2000;

/** The token of the mailed link. It serves once, and mail scanners open links: only sending the form spends it. */
export function loader() {
  const fragment = takeFragment();
  return {
    tokenHash: fragment.get('token_hash'),
    type: fragment.get('type') === 'invite' ? ('invite' as const) : ('recovery' as const),
    expired: fragment.get('error_code') === 'otp_expired',
  };
}

export { ResetPasswordPage as Component };

function ResetPasswordPage() {
  // The loader runs again when the session changes, and finds no token then: the first answer counts.
  const [link] = useState(useLoaderData<typeof loader>());
  const [tokenHash, setTokenHash] = useState(link.tokenHash);
  const [updated, setUpdated] = useState(false);
  const { user } = useSession();
  const min = config().password_min;
  const form = useZodForm(newPasswordSchema(min), { password: '', confirmPassword: '' });

  const update = useAction({
    async run(password: string) {
      if (tokenHash !== null) {
        await spendPasswordLink(tokenHash, link.type);
        setTokenHash(null);
      }
      // A link from the mail does not stand for an administrator's code: that is asked for first.
      if (session.get().user?.owes === 'code') return false;
      await updateUserPassword(password);
      return true;
    },
    success: (done) => (done ? { title: 'Senha atualizada' } : null),
    failure: { title: 'Erro', fallback: FALLBACK },
    onSuccess: setUpdated,
  });

  useLeaveAfter(updated, user?.isAdmin ? paths.adminLogin() : paths.login());

  const { errors } = form.formState;
  const canUpdate = tokenHash !== null || user !== null;
  if (tokenHash === null && user?.owes === 'code') {
    return (
      <Suspense>
        <SecondStep />
      </Suspense>
    );
  }
  return (
    <AuthLayout area="client" title="Atualizar Senha" description="Escolha uma nova senha para a sua conta.">
      <form
        noValidate
        onSubmit={form.handleSubmit(
          ({ password }) => update.run(password),
          (invalid) => {
            const message = invalid.password?.message ?? invalid.confirmPassword?.message;
            if (message) toast({ title: message, tone: 'destructive' });
          },
        )}
        className="flex flex-col gap-5"
      >
        {updated && <Notice tone="success">{SUCCESS}</Notice>}
        {!updated && tokenHash === null && user?.owes === 'password' && (
          <Notice tone="info">
            A senha que o escritório definiu só serve para entrar. Escolha uma que só você conheça para
            continuar.
          </Notice>
        )}
        {update.error && (
          <Notice tone="danger">
            {explain(update.error, FALLBACK, min)}{' '}
            {(!canUpdate || failureOf(update.error).code === 'otp_expired') && <NewLink />}
          </Notice>
        )}
        {!canUpdate && !updated && !update.error && (
          <Notice tone="info">
            {link.expired
              ? 'Este link expirou ou já foi usado. '
              : 'Abra esta página pelo link recebido por e-mail. '}
            <NewLink />
          </Notice>
        )}
        <Field
          label="Nova senha"
          required
          error={errors.password?.message}
          hint={`Mínimo de ${min} caracteres.`}
        >
          {(control) => (
            <PasswordInput {...control} {...form.field('password')} autoComplete="new-password" />
          )}
        </Field>
        <Field label="Confirmar nova senha" required error={errors.confirmPassword?.message}>
          {(control) => (
            <PasswordInput {...control} {...form.field('confirmPassword')} autoComplete="new-password" />
          )}
        </Field>
        <Button type="submit" pending={update.pending} disabled={updated} className="w-full">
          Atualizar Senha
        </Button>
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

/** Two seconds after the update everyone is signed out, without a toast, and sent to sign in with the new password. */
function useLeaveAfter(updated: boolean, loginPath: string) {
  const navigate = useNavigate();
  // The path follows from who was signed in when the password changed; signing out must not alter it.
  const [destination, setDestination] = useState(loginPath);
  if (!updated && destination !== loginPath) setDestination(loginPath);

  useEffect(() => {
    if (!updated) return undefined;
    const timer = setTimeout(() => {
      void endSession().finally(() => void navigate(destination));
    }, LEAVE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [updated, destination, navigate]);
}
