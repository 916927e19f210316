import { useEffect, useState } from 'react';
import { useLoaderData } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { consumeEmailLinkResult } from '~/features/auth/email-link-result';
import { activeSessionsQuery } from '~/features/profile/api/active-sessions';
import { calendarFeedQuery } from '~/features/profile/api/calendar-feed';
import { notificationPreferencesQuery } from '~/features/profile/api/notification-preferences';
import { profileQuery } from '~/features/profile/api/profile';
import { getImpersonation } from '~/lib/api/impersonation';
import { queryClient } from '~/lib/api/query-client';

import { CalendarFeedCard } from './calendar-feed-card';
import { DataExportCard } from './data-export-card';
import { EmailCard } from './email-card';
import { NameCard } from './name-card';
import { NotificationsCard } from './notifications-card';
import { PasswordCard } from './password-card';
import { SessionsCard } from './sessions-card';

/** Starts reading, and takes what a mailed link of a change of address says for itself. */
export function loader() {
  void queryClient.prefetchQuery(profileQuery());
  void queryClient.prefetchQuery(activeSessionsQuery());
  void queryClient.prefetchQuery(notificationPreferencesQuery());
  if (!getImpersonation()) void queryClient.prefetchQuery(calendarFeedQuery());
  return { section: location.hash.slice(1), news: consumeEmailLinkResult() };
}

export { ProfilePage as Component };

function ProfilePage() {
  // The loader runs again when the session changes, and finds no news then: the first answer counts.
  const [{ news, section }] = useState(useLoaderData<typeof loader>());
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
          <EmailCard news={news} />
          <PasswordCard />
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <SessionsCard />
          <NotificationsCard />
          <CalendarFeedCard />
          <DataExportCard />
        </div>
      </div>
    </>
  );
}

/** An address may name a part of the page, which is not there yet when the browser looks for it. */
function useSection(section: string) {
  useEffect(() => {
    if (/^\w+$/.test(section)) document.querySelector(`#${section}`)?.scrollIntoView();
  }, [section]);
}
