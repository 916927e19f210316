// Security page: the MFA settings and passkeys of the signed-in administrator.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { QueryContent } from '~/components/query-content';
import { activityKeys } from '~/features/activity/api';
import { mfaStatusQuery } from '~/features/auth/api/mfa';
import { passkeysQuery } from '~/features/auth/api/passkeys';
import { MfaSettings } from '~/features/auth/components/mfa-settings';
import { LazyPasskeySignIn } from '~/features/auth/passkeys/lazy-passkey-sign-in';
import { LazyPasskeysCard } from '~/features/auth/passkeys/lazy-passkeys-card';
import { useUser } from '~/features/auth/session';
import { staffKeys } from '~/features/staff/api';
import { queryClient } from '~/lib/api/query-client';
import { Alert } from '~/ui/alert';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

const AFFECTED_KEYS = [staffKeys.all, activityKeys.all];

export function loader() {
  void queryClient.prefetchQuery(mfaStatusQuery());
  void queryClient.prefetchQuery(passkeysQuery());
  return null;
}

export { SecurityPage as Component };

const header = (
  <PageHeader title="Segurança" description="Como você confirma que é você ao entrar no painel." />
);

function SecurityPage() {
  const { pendingStep } = useUser();
  const step = useQuery(mfaStatusQuery());
  const passkeys = useQuery(passkeysQuery());
  const [codes, setCodes] = useState<string[] | null>(null);
  if (passkeys.data === null) return <PasskeyRequired />;
  return (
    <>
      {header}
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
      <div className="mt-6 max-w-2xl">
        <LazyPasskeysCard />
      </div>
    </>
  );
}

/** For an administrator with a passkey who signed in with the password where MFA is required. */
function PasskeyRequired() {
  return (
    <>
      {header}
      <Panel title="Chave de acesso" className="max-w-2xl">
        <div className="flex flex-col items-start gap-4 p-5">
          <p className="max-w-prose">
            O escritório pede a verificação em duas etapas de todos os administradores. A sua é uma chave de
            acesso: entre com ela para continuar. Se você a perdeu, peça a outro administrador que redefina a
            sua verificação.
          </p>
          <div className="max-sm:w-full">
            <LazyPasskeySignIn />
          </div>
        </div>
      </Panel>
    </>
  );
}
