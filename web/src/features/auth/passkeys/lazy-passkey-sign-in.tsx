import { lazy, Suspense } from 'react';

import { serverConfig } from '~/lib/api/server-config';

import type { PasskeySignInProps } from './passkey-sign-in';

const PasskeySignIn = lazy(async () => ({ default: (await import('./passkey-sign-in')).PasskeySignIn }));

/** The passkey button of a sign-in page, loaded after the page if portal and browser support passkeys. */
export function LazyPasskeySignIn(props: PasskeySignInProps) {
  if (!serverConfig().passkeys || !('PublicKeyCredential' in window)) return null;
  return (
    // The place of the button: what a person is about to click must not move.
    <Suspense fallback={<div className="touch-target" />}>
      <PasskeySignIn {...props} />
    </Suspense>
  );
}
