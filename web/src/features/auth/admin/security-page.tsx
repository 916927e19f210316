import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { secondStepQuery } from '~/features/auth/api/mfa';
import { useUser } from '~/features/auth/session';
import { queryClient } from '~/lib/api/query-client';
import { Notice } from '~/ui/alert';
import { Card, Panel } from '~/ui/card';
import { ErrorState } from '~/ui/error-state';
import { SkeletonList } from '~/ui/skeleton';

import { SecondStepOn } from './mfa-enabled';
import { SecondStepOff } from './mfa-enroll';
import { CodesOnPaper } from './recovery-codes';

export function loader() {
  void queryClient.prefetchQuery(secondStepQuery());
  return null;
}

export { SecurityPage as Component };

/** One's own second step. */
function SecurityPage() {
  const { owes } = useUser();
  const step = useQuery(secondStepQuery());
  // They are shown once, so nothing may take them away but their reader.
  const [codes, setCodes] = useState<string[] | null>(null);
  return (
    <>
      <PageHeader title="Segurança" description="Como você confirma que é você ao entrar no painel." />
      {owes === 'setup' && (
        <Notice tone="info" className="mb-6 max-w-2xl">
          O escritório pede a verificação em duas etapas de todos os administradores. Ligue a sua para
          continuar.
        </Notice>
      )}
      {step.isPending && <SkeletonList rows={1} rowClassName="h-48" />}
      {step.isError && (
        <Card>
          <ErrorState onRetry={() => void step.refetch()} />
        </Card>
      )}
      {step.data !== undefined && (
        <Panel title={codes ? 'Códigos de recuperação' : 'Verificação em duas etapas'} className="max-w-2xl">
          {codes ? (
            <CodesOnPaper codes={codes} onDone={() => setCodes(null)} />
          ) : step.data ? (
            <SecondStepOn step={step.data} onCodes={setCodes} />
          ) : (
            <SecondStepOff onCodes={setCodes} />
          )}
        </Panel>
      )}
    </>
  );
}
