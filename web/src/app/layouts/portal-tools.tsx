// The parts that the portal loads after the page: the switch between clients and the notification center in its header,
// the updates of what the page shows, and the sending of tickets that were written without a network.
import { useEffect } from 'react';

import { LiveUpdates } from '~/app/live/live-updates';
import { portalTables } from '~/app/live/portal-tables';
import { NotificationCenter } from '~/features/notifications/components/notification-center';
import { followTicketQueue } from '~/features/tickets/queue/follow-ticket-queue';
import { getImpersonation } from '~/lib/api/impersonation';

import { ClientSwitcher } from './client-switcher';

export function PortalTools({ ownId }: { ownId: string }) {
  useEffect(() => (getImpersonation() ? undefined : followTicketQueue(ownId)), [ownId]);
  return (
    <>
      {!getImpersonation() && <ClientSwitcher ownId={ownId} />}
      <LiveUpdates tables={portalTables} />
      <NotificationCenter area="portal" className="text-muted-foreground hover:bg-muted" />
    </>
  );
}
