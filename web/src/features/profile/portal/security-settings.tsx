// MFA settings of a client.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { QueryContent } from '~/components/query-content';
import { mfaStatusQuery } from '~/features/auth/api/mfa';
import { MfaSettings } from '~/features/auth/components/mfa-settings';
import { activeSessionKeys } from '~/features/profile/api/active-sessions';
import { SkeletonList } from '~/ui/skeleton';

// Enrollment and removal end sessions on other devices.
const AFFECTED_KEYS = [activeSessionKeys.all];

export function SecuritySettings() {
  const status = useQuery(mfaStatusQuery());
  const [codes, setCodes] = useState<string[] | null>(null);
  return (
    <QueryContent
      query={status}
      loading={<SkeletonList rows={1} className="p-5" rowClassName="h-24" />}
      className="py-8"
    >
      {(data) => <MfaSettings status={data} codes={codes} onCodes={setCodes} affectedKeys={AFFECTED_KEYS} />}
    </QueryContent>
  );
}
