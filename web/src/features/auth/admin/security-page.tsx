// Security page: the MFA settings of the signed-in administrator.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { QueryContent } from '~/components/query-content';
import { activityKeys } from '~/features/activity/api';
import { mfaStatusQuery } from '~/features/auth/api/mfa';
import { MfaSettings } from '~/features/auth/components/mfa-settings';
import { useUser } from '~/features/auth/session';
import { staffKeys } from '~/features/staff/api';
import { queryClient } from '~/lib/api/query-client';
import { Alert } from '~/ui/alert';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

const AFFECTED_KEYS = [staffKeys.all, activityKeys.all];

export function loader() {
  void queryClient.prefetchQuery(mfaStatusQuery());
  return null;
}

export { SecurityPage as Component };

function SecurityPage() {
  const { pendingStep } = useUser();
  const step = useQuery(mfaStatusQuery());
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
            <MfaSettings status={data} codes={codes} onCodes={setCodes} affectedKeys={AFFECTED_KEYS} />
          </Panel>
        )}
      </QueryContent>
    </>
  );
}
