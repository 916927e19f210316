// Setup page, which creates the first administrator with the one-time link that the server printed at its first start.
import { useState } from 'react';
import { useLoaderData, useNavigate } from 'react-router';
import * as z from 'zod/mini';

import '~/lib/api/error-messages.admin';
import { EmailField, PasswordField, TextField } from '~/components/form-fields';
import { createFirstAdmin } from '~/features/auth/api/setup';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { toUserMessage } from '~/lib/api/error-messages';
import { serverConfig } from '~/lib/api/server-config';
import { consumeHashParams } from '~/lib/hash-params';
import { emailSchema, newPasswordSchema } from '~/lib/validation';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';

import { AuthLayout } from './auth-layout';

const FALLBACK = 'Não foi possível criar o administrador.';

export function loader() {
  return { token: consumeHashParams().get('token') };
}

export { SetupPage as Component };

function SetupPage() {
  // The loader may run again and then finds no token. The first result is kept.
  const [token] = useState(useLoaderData<typeof loader>().token);
  const navigate = useNavigate();
  const min = serverConfig().password_min;
  const form = useZodForm(schema(min), { full_name: '', email: '', password: '', confirmPassword: '' });
  const create = useApiMutation({
    mutationFn: createFirstAdmin,
    successToast: {
      title: 'Administrador criado',
      description: 'Entre com o e-mail e a senha que você escolheu.',
    },
    onSuccess: () => void navigate(paths.adminLogin()),
  });

  if (token === null) {
    return (
      <AuthLayout area="admin" title="Primeiro Acesso">
        <Alert variant="info">
          Abra esta página pelo link que o servidor mostra ao iniciar pela primeira vez. Ele vale uma única
          vez.
        </Alert>
      </AuthLayout>
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
        {create.error && <Alert variant="danger">{toUserMessage(create.error, FALLBACK, min)}</Alert>}
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

function schema(min: number) {
  return z.safeExtend(newPasswordSchema(min), {
    full_name: z.string().check(z.trim(), z.minLength(1, 'Nome completo é obrigatório.')),
    email: emailSchema(),
  });
}
