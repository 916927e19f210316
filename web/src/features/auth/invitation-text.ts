// The text about an invitation that was not accepted.
import { addDays, isPast } from 'date-fns';

import { formatDateTime } from '~/lib/dates';

const DAYS_VALID = 7;

export function describeInvitation(invitedAt: string): string {
  const end = addDays(invitedAt, DAYS_VALID);
  const [sent, until] = [formatDateTime(invitedAt), formatDateTime(end.toISOString())];
  return isPast(end)
    ? `Convidado em ${sent}. O convite expirou em ${until}; o link oferece outro.`
    : `Convidado em ${sent}. O convite vale até ${until}.`;
}
