// The tools in the header of the portal that are loaded after the page: the switch between clients, the
// notification center, and the updates of what the page shows.
import { LiveUpdates } from '~/app/live/live-updates';
import { portalTables } from '~/app/live/portal-tables';
import { NotificationCenter } from '~/features/notifications/components/notification-center';
import { getImpersonation } from '~/lib/api/impersonation';

import { ClientSwitcher } from './client-switcher';

export function PortalTools({ ownId }: { ownId: string }) {
  return (
    <>
      {!getImpersonation() && <ClientSwitcher ownId={ownId} />}
      <LiveUpdates tables={portalTables} />
      <NotificationCenter area="portal" className="text-muted-foreground hover:bg-muted" />
    </>
  );
}
