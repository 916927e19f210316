// Profile page of the clients.
import { lazy, Suspense, useEffect, useState } from 'react';
import { useLoaderData } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { consumeEmailLinkResult } from '~/features/auth/email-link-result';
import { LazyPasskeysCard } from '~/features/auth/passkeys/lazy-passkeys-card';
import { activeSessionsQuery } from '~/features/profile/api/active-sessions';
import { calendarFeedQuery } from '~/features/profile/api/calendar-feed';
import { notificationPreferencesQuery } from '~/features/profile/api/notification-preferences';
import { profileQuery } from '~/features/profile/api/profile';
import { PasswordCard } from '~/features/profile/components/password-card';
import { SessionsCard } from '~/features/profile/components/sessions-card';
import { getImpersonation } from '~/lib/api/impersonation';
import { queryClient } from '~/lib/api/query-client';
import { Skeleton } from '~/ui/skeleton';

import { CalendarFeedCard } from './calendar-feed-card';
import { EmailCard } from './email-card';
import { NameCard } from './name-card';
import { NotificationsCard } from './notifications-card';
import { SecurityCard } from './security-card';

// Loaded on demand, because the cards are at the bottom of the page.
const PushCard = lazy(async () => ({
  default: (await import('~/features/notifications/components/push-card')).PushCard,
}));
const DataExportCard = lazy(async () => ({ default: (await import('./data-export-card')).DataExportCard }));

/** Starts the queries and consumes the result of an e-mail change link. */
export function loader() {
  void queryClient.prefetchQuery(profileQuery());
  void queryClient.prefetchQuery(activeSessionsQuery());
  void queryClient.prefetchQuery(notificationPreferencesQuery());
  if (!getImpersonation()) void queryClient.prefetchQuery(calendarFeedQuery());
  return { section: location.hash.slice(1), linkResult: consumeEmailLinkResult() };
}

export { ProfilePage as Component };

function ProfilePage() {
  // The loader runs again when the session changes and then finds no result. The first result is kept.
  const [{ linkResult, section }] = useState(useLoaderData<typeof loader>());
  useSection(section);
  return (
    <>
      <PageHeader
        title="Meu Perfil"
        description="Seus dados de acesso, os dispositivos conectados e o que é seu no portal."
      />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-6">
          <NameCard />
          <EmailCard linkResult={linkResult} />
          <PasswordCard />
          <SecurityCard />
          {!getImpersonation() && <LazyPasskeysCard />}
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <SessionsCard />
          <NotificationsCard />
          {!getImpersonation() && (
            <Suspense fallback={<Skeleton className="h-56" />}>
              <PushCard area="portal" />
            </Suspense>
          )}
          <CalendarFeedCard />
          <Suspense fallback={<Skeleton className="h-56" />}>
            <DataExportCard />
          </Suspense>
        </div>
      </div>
    </>
  );
}

/** Scrolls to the section in the URL fragment, which is not rendered yet when the browser processes the fragment. */
function useSection(section: string) {
  useEffect(() => {
    if (/^\w+$/.test(section)) document.querySelector(`#${section}`)?.scrollIntoView();
  }, [section]);
}
