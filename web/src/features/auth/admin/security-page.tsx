// Security page of the back office: MFA settings, passkeys, password and sessions of the signed-in person, and the
// mails that the person wants.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { QueryContent } from '~/components/query-content';
import { activityKeys } from '~/features/activity/api';
import { mfaStatusQuery } from '~/features/auth/api/mfa';
import { passkeyKeys, passkeysQuery } from '~/features/auth/api/passkeys';
import { MfaSettings } from '~/features/auth/components/mfa-settings';
import { LazyPasskeysCard } from '~/features/auth/passkeys/lazy-passkeys-card';
import { PasskeyRequired } from '~/features/auth/passkeys/passkey-required';
import { useUser } from '~/features/auth/session';
import { PushCard } from '~/features/notifications/components/push-card';
import { StaffMailsCard } from '~/features/notifications/components/staff-mails-card';
import { PasswordCard } from '~/features/profile/components/password-card';
import { SessionsCard } from '~/features/profile/components/sessions-card';
import { staffKeys } from '~/features/staff/api';
import { queryClient } from '~/lib/api/query-client';
import { Alert } from '~/ui/alert';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

// Where MFA is required, the removal of the last factor closes the list of passkeys.
const AFFECTED_KEYS = [staffKeys.all, activityKeys.all, passkeyKeys.all];

export function loader() {
  void queryClient.prefetchQuery(mfaStatusQuery());
  void queryClient.prefetchQuery(passkeysQuery());
  return null;
}

export { SecurityPage as Component };

const header = (
  <PageHeader title="Segurança" description="Como você entra no painel, e os avisos que você recebe." />
);

function SecurityPage() {
  const { pendingStep } = useUser();
  const step = useQuery(mfaStatusQuery());
  const passkeys = useQuery(passkeysQuery());
  const [codes, setCodes] = useState<string[] | null>(null);
  if (passkeys.data === null) {
    return (
      <>
        {header}
        <Panel title="Chave de acesso" className="max-w-2xl">
          <div className="p-5">
            <PasskeyRequired />
          </div>
        </Panel>
      </>
    );
  }
  return (
    <>
      {header}
      {pendingStep === 'mfa-setup' && (
        <Alert variant="info" className="mb-6 max-w-2xl">
          O escritório pede a verificação em duas etapas de todos os administradores. Ligue a sua para
          continuar.
        </Alert>
      )}
      <QueryContent query={step} loading={<SkeletonList rows={1} rowClassName="h-75 sm:h-57" />} card>
        {(data) => (
          <Panel
            title={codes ? 'Códigos de recuperação' : 'Verificação em duas etapas'}
            className="max-w-2xl"
          >
            <MfaSettings status={data} codes={codes} onCodes={setCodes} affectedKeys={AFFECTED_KEYS} />
          </Panel>
        )}
      </QueryContent>
      <div className="mt-6 flex max-w-2xl flex-col gap-6">
        <LazyPasskeysCard />
        <PasswordCard />
        {pendingStep === null && (
          <>
            <div id="avisos" className="flex scroll-mt-20 flex-col gap-6">
              <StaffMailsCard />
              <PushCard area="admin" />
            </div>
            <SessionsCard />
          </>
        )}
      </div>
    </>
  );
}
