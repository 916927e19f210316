// Setup page, which creates the first administrator with the one-time link that the server printed at its first start.
import { type ReactNode, useState } from 'react';
import { useLoaderData, useNavigate } from 'react-router';

import '~/lib/api/error-messages.admin';
import { ButtonLink } from '~/components/button-link';
import { EmailField, PasswordField, TextField } from '~/components/form-fields';
import {
  createFirstAdmin,
  type FirstAdmin,
  isSetupTokenError,
  isSetupTokenRefused,
} from '~/features/auth/api/setup';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { toUserMessage } from '~/lib/api/error-messages';
import { isRefusedPassword } from '~/lib/api/errors';
import { serverConfig } from '~/lib/api/server-config';
import { paths } from '~/paths';
import { Alert, type AlertVariant } from '~/ui/alert';
import { Button } from '~/ui/button';

import { AuthLayout } from './auth-layout';
import { forgetLinkParams, readLinkParams, useReloadOnNewLink } from './link-params';
import { signIn } from './session';

const FALLBACK = 'Não foi possível criar o administrador.';

/** Reads the token of the link, and asks the server whether it is still valid. */
export async function loader() {
  const token = readLinkParams('setup').get('token');
  const isRefused = token !== null && (await isSetupTokenRefused(token));
  if (isRefused) forgetLinkParams('setup');
  return { token, isRefused };
}

export { SetupPage as Component };

function SetupPage() {
  // The loader may run again and then finds no token. The first result is kept.
  const [link] = useState(useLoaderData<typeof loader>());
  useReloadOnNewLink();
  const navigate = useNavigate();
  const min = serverConfig().password_min;
  const form = useZodForm(async () => (await import('./schemas')).setupSchema(min), {
    full_name: '',
    email: '',
    password: '',
    confirmPassword: '',
  });
  const create = useApiMutation({
    async mutationFn(admin: FirstAdmin) {
      await createFirstAdmin(admin);
      forgetLinkParams('setup');
      // The account exists already, so a failed sign-in only leads to the sign-in page.
      return signIn(admin).then(
        () => true,
        () => false,
      );
    },
    successToast: (isSignedIn) => ({
      title: 'Administrador criado',
      ...(!isSignedIn && { description: 'Entre com o e-mail e a senha que você escolheu.' }),
    }),
    onSuccess: (isSignedIn) => void navigate(isSignedIn ? paths.adminDashboard() : paths.adminLogin()),
    onError(error) {
      if (isSetupTokenError(error)) forgetLinkParams('setup');
      if (isRefusedPassword(error)) {
        form.setError('password', { message: toUserMessage(error, FALLBACK) }, { shouldFocus: true });
      }
    },
  });

  const { token } = link;
  if (token === null) {
    return (
      <NoForm variant="info">
        Abra esta página pelo link que o servidor mostra ao iniciar pela primeira vez. Ele vale uma única vez.
      </NoForm>
    );
  }
  if (link.isRefused || isSetupTokenError(create.error)) {
    return (
      <NoForm variant="danger">
        Este link de configuração já foi usado ou não vale mais. Se o administrador já foi criado, entre com a
        conta dele; se não, reinicie o servidor para receber outro link.
      </NoForm>
    );
  }

  return (
    <AuthLayout
      area="admin"
      title="Primeiro Acesso"
      description="Crie a conta do administrador deste portal."
    >
      <form
        noValidate
        onSubmit={form.handleSubmit(({ full_name, email, password }) =>
          create.mutate({ token, full_name, email, password }),
        )}
        className="flex flex-col gap-5"
      >
        {create.error && !isRefusedPassword(create.error) && (
          <Alert variant="danger">{toUserMessage(create.error, FALLBACK)}</Alert>
        )}
        <TextField {...form.bind('full_name')} label="Nome completo" required autoComplete="name" />
        <EmailField {...form.bind('email')} label="E-mail" required autoComplete="username" />
        <PasswordField
          {...form.bind('password')}
          label="Senha"
          hint={`Mínimo de ${min} caracteres.`}
          required
          autoComplete="new-password"
        />
        <PasswordField
          {...form.bind('confirmPassword')}
          label="Confirmar senha"
          required
          autoComplete="new-password"
        />
        <Button type="submit" pending={create.isPending} className="w-full">
          Criar administrador
        </Button>
      </form>
    </AuthLayout>
  );
}

/** The page without a valid link: the reason and a way on. */
function NoForm({ variant, children }: { variant: AlertVariant; children: ReactNode }) {
  return (
    <AuthLayout area="admin" title="Primeiro Acesso">
      <Alert variant={variant}>{children}</Alert>
      <ButtonLink to={paths.adminLogin()} variant="secondary" className="mt-6 w-full">
        Ir para o login
      </ButtonLink>
    </AuthLayout>
  );
}
