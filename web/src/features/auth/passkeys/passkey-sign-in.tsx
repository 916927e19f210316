// Sign-in with a passkey: a button, and the autofill list of the e-mail field.
import { KeyRound } from 'lucide-react';
import { useEffect } from 'react';

import { canOfferPasskeys, passkeyKeys, signInWithPasskey } from '~/features/auth/api/passkeys';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { toUserMessage } from '~/lib/api/error-messages';
import '~/lib/api/error-messages.passkeys';
import { getErrorInfo } from '~/lib/api/errors';
import { toast } from '~/lib/toast';
import { Button } from '~/ui/button';

const ERROR_TITLE = 'Erro de Login';
const FALLBACK = 'A chave de acesso não foi usada. Tente de novo ou entre com a senha.';

const options = {
  // A session that waits for MFA sees no passkeys.
  invalidates: [passkeyKeys.all],
  successToast: (isSignedIn: boolean) => (isSignedIn ? { title: 'Login bem-sucedido!' } : null),
};

export type PasskeySignInProps = {
  /** Whether the page has an e-mail field, in whose autofill list the browser offers passkeys. */
  autofill?: boolean;
  onSignedIn?: (() => void) | undefined;
};

/** The route guard redirects after a successful sign-in. */
export function PasskeySignIn({ autofill = false, onSignedIn }: PasskeySignInProps) {
  const signIn = useApiMutation({
    ...options,
    mutationFn: () => signInWithPasskey(),
    errorToast: { title: ERROR_TITLE, fallback: FALLBACK },
    onSuccess(isSignedIn) {
      if (isSignedIn) onSignedIn?.();
    },
  });
  const { mutate: offer } = useApiMutation({
    ...options,
    mutationFn: () => signInWithPasskey('conditional'),
    onError(error) {
      const { code } = getErrorInfo(error);
      // Without a list of passkeys the button remains.
      if (!code?.startsWith('webauthn_')) return;
      toast({ title: ERROR_TITLE, description: toUserMessage(error, FALLBACK), variant: 'error' });
      offer();
    },
  });
  useEffect(() => {
    if (!autofill) return;
    void canOfferPasskeys().then((can) => can && offer());
  }, [autofill, offer]);
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
