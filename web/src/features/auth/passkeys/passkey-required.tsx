// For a member of the staff with a passkey who signed in without it where MFA is required.
import { LazyPasskeySignIn } from './lazy-passkey-sign-in';
import type { PasskeySignInProps } from './passkey-sign-in';

export function PasskeyRequired({ onSignedIn }: Pick<PasskeySignInProps, 'onSignedIn'>) {
  return (
    <div className="flex flex-col items-start gap-4">
      <p className="max-w-prose">
        O escritório pede a verificação em duas etapas de todos os administradores. A sua é uma chave de
        acesso: entre com ela para continuar. Se você a perdeu, peça a outro administrador que redefina a sua
        verificação.
      </p>
      <div className="max-sm:w-full">
        <LazyPasskeySignIn onSignedIn={onSignedIn} />
      </div>
    </div>
  );
}
