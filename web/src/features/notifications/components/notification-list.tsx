// The content of the notification center: the newest notifications, each a link to its record.
import { useInfiniteQuery } from '@tanstack/react-query';
import { BellOff, CheckCheck, Mail, X } from 'lucide-react';
import { Link } from 'react-router';

import { QueryList } from '~/components/query-list';
import {
  markRead,
  type Notification,
  type NotificationArea,
  notificationKeys,
  notificationsQuery,
} from '~/features/notifications/api/notifications';
import { describeNotification } from '~/features/notifications/notification-texts';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { getImpersonation } from '~/lib/api/impersonation';
import { formatDateTime } from '~/lib/dates';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { cn } from '~/ui/cn';
import { IconButton } from '~/ui/icon-button';
import { SkeletonList } from '~/ui/skeleton';

type NotificationListProps = { area: NotificationArea; unread: number; onClose: () => void };

export function NotificationList({ area, unread, onClose }: NotificationListProps) {
  const notifications = useInfiniteQuery(notificationsQuery(area));
  const markAll = useApiMutation({
    mutationFn: () => markRead(null),
    invalidates: [notificationKeys.all],
    errorToast: { title: 'Erro', fallback: 'Não foi possível marcar como lidas. Tente novamente.' },
  });
  return (
    <>
      <div className="border-border flex min-h-14 items-center gap-1 border-b pr-1 pl-5 sm:gap-2">
        <h2 className="mr-auto text-lg">Notificações</h2>
        {unread > 0 && !getImpersonation() && (
          <Button
            variant="quiet"
            icon={<CheckCheck size={18} aria-hidden />}
            pending={markAll.isPending}
            onClick={() => markAll.mutate()}
            className="min-w-0 text-sm text-balance whitespace-normal! max-sm:px-1 max-sm:[&>svg]:not-in-aria-busy:hidden"
          >
            Marcar todas como lidas
          </Button>
        )}
        <IconButton label="Fechar notificações" icon={<X size={20} aria-hidden />} onClick={onClose} />
      </div>
      <div className="min-h-0 overflow-y-auto overscroll-contain">
        <QueryList
          query={notifications}
          rows={notifications.data?.pages.flat()}
          loading={<SkeletonList rows={4} className="p-5" rowClassName="h-14" />}
          empty={{
            icon: <BellOff size={26} />,
            title: 'Nenhuma notificação',
            hint:
              area === 'admin'
                ? 'O que os clientes enviarem ou responderem aparece aqui.'
                : 'O que o escritório enviar ou responder aparece aqui.',
          }}
        >
          {(rows) => (
            <ul className="divide-border divide-y">
              {rows.map((notification) => (
                <li key={notification.id}>
                  <Item notification={notification} area={area} onClose={onClose} />
                </li>
              ))}
            </ul>
          )}
        </QueryList>
      </div>
      {area === 'admin' && (
        <p className="border-border border-t px-5 py-1 text-sm">
          <Link
            to={paths.adminStaffMails()}
            onClick={onClose}
            className="text-primary inline-flex min-h-11 items-center gap-2 font-medium hover:underline"
          >
            <Mail size={18} aria-hidden />
            Receber por e-mail
          </Link>
        </p>
      )}
    </>
  );
}

type ItemProps = { notification: Notification; area: NotificationArea; onClose: () => void };

function Item({ notification, area, onClose }: ItemProps) {
  const { title, to, about } = describeNotification(notification, area);
  const isUnread = notification.read_at === null;
  return (
    <Link to={to} onClick={onClose} className="hover:bg-muted flex gap-3 px-5 py-3 transition-colors">
      <span
        aria-hidden
        className={cn('mt-2 size-2 shrink-0 rounded-full', isUnread ? 'bg-primary' : 'bg-transparent')}
      />
      <span className="min-w-0 flex-1">
        <span className={cn('block', isUnread && 'font-semibold')}>
          {isUnread && <span className="sr-only">Não lida: </span>}
          {title}
        </span>
        {about !== '' && (
          <span className="text-muted-foreground line-clamp-2 text-sm wrap-anywhere">{about}</span>
        )}
        <time
          dateTime={notification.created_at}
          className="text-muted-foreground text-caption block tabular-nums"
        >
          {formatDateTime(notification.created_at)}
        </time>
      </span>
    </Link>
  );
}
