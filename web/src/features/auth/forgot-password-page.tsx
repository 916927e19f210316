// Page that requests a password reset e-mail.
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';

import { EmailField } from '~/components/form-fields';
import { TextLink } from '~/components/text-link';
import { sendPasswordResetEmail } from '~/features/auth/api/password';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { toUserMessage } from '~/lib/api/error-messages';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';

import { AuthLayout } from './auth-layout';

const FALLBACK = 'Falha ao enviar email de redefinição.';

const loadSchema = async () => (await import('./schemas')).forgotPasswordSchema;

export { ForgotPasswordPage as Component };

function ForgotPasswordPage() {
  const [sent, setSent] = useState(false);
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
      title="Recuperar Senha"
      description="Informe o e-mail da sua conta para receber um link de redefinição."
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
        <TextLink
          to={paths.login()}
          className="text-body inline-flex min-h-11 items-center gap-2 self-center rounded px-2 font-medium"
        >
          <ArrowLeft size={18} aria-hidden />
          Voltar para o Login
        </TextLink>
      </form>
    </AuthLayout>
  );
}
