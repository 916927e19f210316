import { AuthLayout } from './auth-layout';
import { SignInForm } from './sign-in-form';

export function Component() {
  return (
    <AuthLayout area="admin" title="Admin Login" description="Acesso restrito ao painel administrativo.">
      <SignInForm />
    </AuthLayout>
  );
}
