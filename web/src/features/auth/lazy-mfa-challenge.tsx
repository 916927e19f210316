import { lazy, Suspense } from 'react';

import type { MfaChallengeProps } from './mfa-challenge';

const MfaChallenge = lazy(async () => ({ default: (await import('./mfa-challenge')).MfaChallenge }));

/** The second step of a sign-in, loaded when it is asked for: few people who open a sign-in page have one. */
export function LazyMfaChallenge(props: MfaChallengeProps) {
  return (
    <Suspense>
      <MfaChallenge {...props} />
    </Suspense>
  );
}
