import { lazy, Suspense } from 'react';

import { serverConfig } from '~/lib/api/server-config';

const PasskeySignIn = lazy(async () => ({ default: (await import('./passkey-sign-in')).PasskeySignIn }));

/** The passkey button of a sign-in page, loaded after the page if portal and browser support passkeys. */
export function LazyPasskeySignIn() {
  if (!serverConfig().passkeys || !('PublicKeyCredential' in window)) return null;
  return (
    <Suspense>
      <PasskeySignIn />
    </Suspense>
  );
}
