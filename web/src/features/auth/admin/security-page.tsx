// Security page: the MFA settings of the signed-in administrator.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { QueryContent } from '~/components/query-content';
import { mfaStatusQuery } from '~/features/auth/api/mfa';
import { useUser } from '~/features/auth/session';
import { queryClient } from '~/lib/api/query-client';
import { Alert } from '~/ui/alert';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

import { MfaEnabled } from './mfa-enabled';
import { MfaEnroll } from './mfa-enroll';
import { RecoveryCodes } from './recovery-codes';

export function loader() {
  void queryClient.prefetchQuery(mfaStatusQuery());
  return null;
}

export { SecurityPage as Component };

function SecurityPage() {
  const { pendingStep } = useUser();
  const step = useQuery(mfaStatusQuery());
  // The server returns the codes only once. They stay on screen until the user dismisses them.
  const [codes, setCodes] = useState<string[] | null>(null);
  return (
    <>
      <PageHeader title="Segurança" description="Como você confirma que é você ao entrar no painel." />
      {pendingStep === 'mfa-setup' && (
        <Alert variant="info" className="mb-6 max-w-2xl">
          O escritório pede a verificação em duas etapas de todos os administradores. Ligue a sua para
          continuar.
        </Alert>
      )}
      <QueryContent query={step} loading={<SkeletonList rows={1} rowClassName="h-48" />} card>
        {(data) => (
          <Panel
            title={codes ? 'Códigos de recuperação' : 'Verificação em duas etapas'}
            className="max-w-2xl"
          >
            {codes ? (
              <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />
            ) : data ? (
              <MfaEnabled step={data} onCodes={setCodes} />
            ) : (
              <MfaEnroll onCodes={setCodes} />
            )}
          </Panel>
        )}
      </QueryContent>
    </>
  );
}
