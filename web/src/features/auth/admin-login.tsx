import '~/lib/errors-office';
import { useSession } from '~/data/session';

import { AuthLayout } from './auth-layout';
import { SecondStep } from './second-step';
import { SignInForm } from './sign-in-form';

export function Component() {
  const { user } = useSession();
  if (user?.owes === 'code') return <SecondStep />;
  return (
    <AuthLayout area="admin" title="Admin Login" description="Acesso restrito ao painel administrativo.">
      <SignInForm />
    </AuthLayout>
  );
}
