// MFA settings of the signed-in person.
import type { QueryKey } from '@tanstack/react-query';

import type { MfaStatus } from '~/features/auth/api/mfa';
import '~/lib/api/error-messages.mfa';

import { MfaEnabled } from './mfa-enabled';
import { MfaEnroll } from './mfa-enroll';
import { RecoveryCodes } from './recovery-codes';

type MfaSettingsProps = {
  status: MfaStatus | null;
  /** New recovery codes. The server returns them only once, so they stay until the person dismisses them. */
  codes: string[] | null;
  onCodes: (codes: string[] | null) => void;
  /** Queries of the area that depend on MFA. */
  affectedKeys: readonly QueryKey[];
};

/** New recovery codes, or the state of the factor, or its enrollment. */
export function MfaSettings({ status, codes, onCodes, affectedKeys }: MfaSettingsProps) {
  if (codes) return <RecoveryCodes codes={codes} onDone={() => onCodes(null)} />;
  if (status) return <MfaEnabled step={status} affectedKeys={affectedKeys} onCodes={onCodes} />;
  return <MfaEnroll affectedKeys={affectedKeys} onCodes={onCodes} />;
}
