import { lazy, Suspense } from 'react';

import { serverConfig } from '~/lib/api/server-config';

const PasskeysCard = lazy(async () => ({ default: (await import('./passkeys-card')).PasskeysCard }));

/** The passkeys of the signed-in user, loaded after the page if portal and browser support passkeys. */
export function LazyPasskeysCard() {
  if (!serverConfig().passkeys || !('PublicKeyCredential' in window)) return null;
  return (
    <Suspense>
      <PasskeysCard />
    </Suspense>
  );
}
