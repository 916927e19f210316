// Profile card of the MFA settings.
import { lazy, Suspense } from 'react';

import { getImpersonation } from '~/lib/api/impersonation';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

// Loaded on demand, because MFA is rarely changed.
const SecuritySettings = lazy(async () => ({
  default: (await import('./security-settings')).SecuritySettings,
}));

export function SecurityCard() {
  return (
    <Panel title="Segurança">
      {getImpersonation() ? (
        <p className="text-muted-foreground p-5">
          Só o próprio cliente liga e desliga a verificação em duas etapas.
        </p>
      ) : (
        <Suspense fallback={<SkeletonList rows={1} className="p-5" rowClassName="h-24" />}>
          <SecuritySettings />
        </Suspense>
      )}
    </Panel>
  );
}
