// The button of the notification center, with the number of unread notifications, and its popover.
import { useQuery } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'react-router';

import { useUser } from '~/features/auth/session';
import {
  markRead,
  notificationKeys,
  unreadCountQuery,
  type NotificationArea,
} from '~/features/notifications/api/notifications';
import { type NotificationRecord, recordOf } from '~/features/notifications/notification-texts';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { getImpersonation } from '~/lib/api/impersonation';
import { queryClient, refetchChanged } from '~/lib/api/query-client';
import { formatInteger } from '~/lib/format';
import { cn } from '~/ui/cn';
import { SkeletonList } from '~/ui/skeleton';

// Loaded when the popover is first opened.
const NotificationList = lazy(async () => ({
  default: (await import('./notification-list')).NotificationList,
}));

const MAX_SHOWN = 99;

type NotificationCenterProps = { area: NotificationArea; className: string };

export function NotificationCenter({ area, className }: NotificationCenterProps) {
  // A session that must first complete a step of the sign-in may not read.
  const isComplete = useUser().pendingStep === null;
  const unread = useQuery({ ...unreadCountQuery(), enabled: isComplete }).data ?? 0;
  const [wasOpened, setWasOpened] = useState(false);
  const popover = useRef<HTMLDivElement>(null);
  const id = useId();
  useMarkShownRecord(area, unread);
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        title="Notificações"
        className={cn(
          'touch-target relative inline-flex shrink-0 items-center justify-center rounded',
          className,
        )}
      >
        <Bell size={20} aria-hidden />
        <span className="sr-only">{labelOf(unread)}</span>
        {unread > 0 && (
          <span
            aria-hidden
            className="bg-danger text-danger-foreground absolute top-1 left-1/2 min-w-4.5 rounded-full px-1 text-center text-xs leading-4.5 font-semibold tabular-nums"
          >
            {unread > MAX_SHOWN ? `${MAX_SHOWN}+` : unread}
          </span>
        )}
      </button>
      {/* A native popover: Esc and a click outside close it, and focus returns to the button. */}
      <div
        id={id}
        ref={popover}
        popover="auto"
        role="dialog"
        aria-label="Notificações"
        tabIndex={-1}
        onToggle={(event) => {
          if (event.newState !== 'open') return;
          setWasOpened(true);
          void queryClient.invalidateQueries({ queryKey: notificationKeys.all });
          popover.current?.focus();
        }}
        className="border-border bg-card text-foreground shadow-popover fixed inset-auto m-0 max-h-[min(36rem,calc(100dvh-5rem-var(--banner,0px)))] flex-col overflow-hidden border p-0 outline-none open:flex max-sm:inset-x-0 max-sm:bottom-0 max-sm:max-h-[85dvh] max-sm:w-full max-sm:max-w-none max-sm:rounded-t-xl max-sm:pb-[env(safe-area-inset-bottom)] sm:top-[calc(3.75rem+var(--banner,0px))] sm:right-5 sm:w-104 sm:rounded"
      >
        {wasOpened && (
          <Suspense fallback={<SkeletonList rows={4} className="p-5" rowClassName="h-14" />}>
            <NotificationList area={area} unread={unread} onClose={() => popover.current?.hidePopover()} />
          </Suspense>
        )}
      </div>
    </>
  );
}

function labelOf(unread: number): string {
  if (unread === 0) return 'Notificações';
  return unread === 1 ? 'Notificações: 1 não lida' : `Notificações: ${formatInteger(unread)} não lidas`;
}

/** Marks the notifications about what the page shows as read: on arrival, and when a new one arrives. */
function useMarkShownRecord(area: NotificationArea, unread: number) {
  const { pathname } = useLocation();
  useEffect(() => {
    const record = recordOf(pathname, area);
    // An administrator who impersonates a client changes nothing.
    if (record === null || unread === 0 || getImpersonation()) return;
    // Without a network the next visit marks them.
    void markAllRead(record).catch(() => undefined);
  }, [area, pathname, unread]);
}

/** Marks again after each count: one that arrived between the two leaves the number as it was. */
async function markAllRead(record: NotificationRecord): Promise<void> {
  if ('id' in record) {
    // The page of a ticket first reads which of its replies are new.
    const query = queryClient.getQueryCache().find({ queryKey: ticketKeys.firstNewReply(record.id) });
    await query?.promise?.catch(() => undefined);
  }
  while ((await markRead(record)) > 0) await refetchChanged(notificationKeys.all);
}
