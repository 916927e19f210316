// Requests of the notification center.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import type { NotificationRecord } from '~/features/notifications/notification-texts';
import type { NotificationKind, RequestItemRow } from '~/lib/api/database';
import { pollEvery } from '~/lib/api/live-status';
import { getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';

export type Notification = {
  id: string;
  kind: NotificationKind;
  created_at: string;
  read_at: string | null;
  document_id: string | null;
  ticket_id: string | null;
  /** The name of the record; null if there is none, or if the reader may not read it any more. */
  name: string | null;
  /** The item of a request; null if there is none, or if the reader may not read it any more. */
  item: Pick<RequestItemRow, 'month' | 'status'> | null;
  /** The client, for staff. */
  client: string | null;
};

export type NotificationArea = 'portal' | 'admin';

export const notificationKeys = {
  all: ['notifications'] as const,
  count: ['notifications', 'count'] as const,
};

const POLL_EVERY = 60_000;
const COLUMNS =
  'id,kind,created_at,read_at,document_id,ticket_id,documents(name),tickets(subject),request_items(name,month,status)';
const ADMIN_COLUMNS = `${COLUMNS},clients(email,user_metadata)` as const;

type SelectedNotification = Omit<Notification, 'name' | 'item' | 'client'> & {
  documents: { name: string } | null;
  tickets: { subject: string } | null;
  request_items: Pick<RequestItemRow, 'name' | 'month' | 'status'> | null;
  clients?: { email: string; user_metadata: Record<string, unknown> } | null;
};

/** The number of unread notifications. */
export function unreadCountQuery() {
  return queryOptions({
    queryKey: notificationKeys.count,
    async queryFn({ signal }): Promise<number> {
      const { count } = await db()
        .from('notifications')
        .select('id', { count: 'exact', head: true })
        .is('read_at', null)
        .abortSignal(signal)
        .throwOnError();
      return count ?? 0;
    },
    refetchInterval: pollEvery(POLL_EVERY),
  });
}

/** The notifications, newest first, paginated. */
export function notificationsQuery(area: NotificationArea) {
  return infiniteQueryOptions({
    queryKey: [...notificationKeys.all, 'list', area],
    async queryFn({ pageParam, signal }): Promise<Notification[]> {
      const { data } = await db()
        .from('notifications')
        .select(area === 'admin' ? ADMIN_COLUMNS : COLUMNS)
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .overrideTypes<SelectedNotification[], { merge: false }>()
        .throwOnError();
      return data.map(toNotification);
    },
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
  });
}

function toNotification({
  documents,
  tickets,
  request_items: item,
  clients,
  ...row
}: SelectedNotification): Notification {
  const fullName = clients?.user_metadata.full_name;
  return {
    ...row,
    name: documents?.name ?? tickets?.subject ?? item?.name ?? null,
    item,
    client:
      typeof fullName === 'string' && fullName.trim() !== '' ? fullName.trim() : (clients?.email ?? null),
  };
}

/** Marks the unread notifications as read: those about a record, or all. Returns how many there were. */
export async function markRead(record: NotificationRecord | null): Promise<number> {
  // The server sets its own time.
  const changes = { read_at: new Date().toISOString() };
  let update = db().from('notifications').update(changes, { count: 'exact' }).is('read_at', null);
  if (record !== null) {
    update = 'kinds' in record ? update.in('kind', record.kinds) : update.eq(record.column, record.id);
  }
  const { count } = await update.throwOnError();
  return count ?? 0;
}
