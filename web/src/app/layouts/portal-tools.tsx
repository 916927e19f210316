// The tools in the header of the portal that are loaded after the page: the switch between clients, and the
// notification center.
import { NotificationCenter } from '~/features/notifications/components/notification-center';
import { getImpersonation } from '~/lib/api/impersonation';

import { ClientSwitcher } from './client-switcher';

export function PortalTools({ ownId }: { ownId: string }) {
  return (
    <>
      {!getImpersonation() && <ClientSwitcher ownId={ownId} />}
      <NotificationCenter area="portal" className="text-muted-foreground hover:bg-muted" />
    </>
  );
}
