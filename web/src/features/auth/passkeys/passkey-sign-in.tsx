// Button that signs in with a passkey.
import { KeyRound } from 'lucide-react';

import { passkeyKeys, signInWithPasskey } from '~/features/auth/api/passkeys';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { Button } from '~/ui/button';

/** The route guard redirects after a successful sign-in. */
export function PasskeySignIn() {
  const signIn = useApiMutation({
    mutationFn: signInWithPasskey,
    // A session that waits for MFA sees no passkeys.
    invalidates: [passkeyKeys.all],
    successToast: { title: 'Login bem-sucedido!' },
    errorToast: {
      title: 'Erro de Login',
      fallback: 'A chave de acesso não foi usada. Tente de novo ou entre com a senha.',
    },
  });
  return (
    <Button
      variant="secondary"
      icon={<KeyRound size={18} aria-hidden />}
      pending={signIn.isPending}
      onClick={() => signIn.mutate()}
      className="w-full"
    >
      Entrar com chave de acesso
    </Button>
  );
}
