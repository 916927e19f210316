import { Link } from 'react-router';

import { paths } from '~/paths';

import { AuthLayout } from './auth-layout';
import { SignInForm } from './sign-in-form';

export function Component() {
  return (
    <AuthLayout area="client" title="Acesso Cliente">
      <SignInForm>
        <Link
          to={paths.forgotPassword()}
          className="text-primary inline-flex min-h-11 items-center self-center rounded px-2 text-[15px] font-medium hover:underline"
        >
          Esqueceu a senha?
        </Link>
      </SignInForm>
    </AuthLayout>
  );
}
