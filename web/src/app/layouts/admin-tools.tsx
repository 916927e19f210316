// The parts of the admin layout that are loaded after the page: the notification center, and the updates of what the page
// shows.
import { adminTables } from '~/app/live/admin-tables';
import { LiveUpdates } from '~/app/live/live-updates';
import { NotificationCenter } from '~/features/notifications/components/notification-center';

export function AdminTools({ className }: { className: string }) {
  return (
    <>
      <LiveUpdates tables={adminTables} />
      <NotificationCenter area="admin" className={className} />
    </>
  );
}
