// Sign-in form with e-mail and password.
import type { ReactNode } from 'react';

import { EmailField, PasswordField } from '~/components/form-fields';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { toUserMessage } from '~/lib/api/error-messages';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';

import { session, signIn } from './session';

const FALLBACK = 'Falha ao fazer login. Verifique suas credenciais.';

const loadSchema = async () => (await import('./schemas')).signInSchema;

/** Sign-in form. The route guard redirects after a successful sign-in. */
export function SignInForm({ children }: { children?: ReactNode }) {
  const form = useZodForm(loadSchema, { email: '', password: '' });
  const login = useApiMutation({
    mutationFn: signIn,
    // The sign-in is not complete while MFA is pending.
    successToast: () => (session.get().user?.pendingStep === 'mfa' ? null : { title: 'Login bem-sucedido!' }),
    errorToast: { title: 'Erro de Login', fallback: FALLBACK },
    onError: () => form.setFocus('password'),
  });
  return (
    <form
      noValidate
      onSubmit={form.handleSubmit((values) => login.mutate(values))}
      className="flex flex-col gap-5"
    >
      {login.error && <Alert variant="danger">{toUserMessage(login.error, FALLBACK)}</Alert>}
      <EmailField {...form.bind('email')} label="E-mail" required autoComplete="username webauthn" />
      <PasswordField {...form.bind('password')} label="Senha" required autoComplete="current-password" />
      <Button type="submit" pending={login.isPending} className="w-full">
        Entrar
      </Button>
      {children}
    </form>
  );
}
