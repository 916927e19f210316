// Page that requests a password reset e-mail.
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';

import { EmailField } from '~/components/form-fields';
import { sendPasswordResetEmail } from '~/features/auth/api/password';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { toUserMessage } from '~/lib/api/error-messages';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';

import { AuthLayout } from './auth-layout';
import { SignInLink } from './sign-in-link';

const FALLBACK = 'Falha ao enviar email de redefinição.';

const loadSchema = async () => (await import('./schemas')).forgotPasswordSchema;

export { ForgotPasswordPage as Component };

function ForgotPasswordPage() {
  const [sent, setSent] = useState(false);
  const isFirstAccess = useSearchParams()[0].has('primeiro-acesso');
  const form = useZodForm(loadSchema, { email: '' });
  const request = useApiMutation({
    mutationFn: sendPasswordResetEmail,
    successToast: { title: 'Email Enviado' },
    errorToast: { title: 'Erro', fallback: FALLBACK },
    onSuccess: () => setSent(true),
  });
  return (
    <AuthLayout
      area="client"
      title={isFirstAccess ? 'Primeiro acesso' : 'Recuperar Senha'}
      description={
        isFirstAccess
          ? 'Informe o e-mail que o escritório cadastrou para receber um link e escolher a sua senha.'
          : 'Informe o e-mail da sua conta para receber um link de redefinição.'
      }
    >
      <form
        noValidate
        onSubmit={form.handleSubmit(({ email }) =>
          request.mutate({ email, redirectTo: location.origin + paths.updatePassword() }),
        )}
        className="flex flex-col gap-5"
      >
        {sent && !request.error && (
          <Alert variant="success">
            Se uma conta com este email existir, um link para redefinição de senha foi enviado.
          </Alert>
        )}
        {request.error && <Alert variant="danger">{toUserMessage(request.error, FALLBACK)}</Alert>}
        <EmailField {...form.bind('email')} label="E-mail" required autoComplete="username" />
        <Button type="submit" pending={request.isPending} className="w-full">
          Enviar Link
        </Button>
        <SignInLink to={paths.login()}>
          <ArrowLeft size={18} aria-hidden />
          Voltar para o Login
        </SignInLink>
      </form>
    </AuthLayout>
  );
}
