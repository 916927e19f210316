import { useEffect, useState } from 'react';
import { useLoaderData } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { takeNews } from '~/features/auth/email-link-result';
import { openSessionsQuery } from '~/features/profile/api/active-sessions';
import { calendarLinkQuery } from '~/features/profile/api/calendar-feed';
import { mutedTopicsQuery } from '~/features/profile/api/notification-preferences';
import { profileQuery } from '~/features/profile/api/profile';
import { viewing } from '~/lib/api/impersonation';
import { queryClient } from '~/lib/api/query-client';

import { ProfileCalendar } from './calendar-feed-card';
import { ProfileData } from './data-export-card';
import { ProfileEmail } from './email-card';
import { ProfileName } from './name-card';
import { ProfileNotices } from './notifications-card';
import { ProfilePassword } from './password-card';
import { ProfileSessions } from './sessions-card';

/** Starts reading, and takes what a mailed link of a change of address says for itself. */
export function loader() {
  void queryClient.prefetchQuery(profileQuery());
  void queryClient.prefetchQuery(openSessionsQuery());
  void queryClient.prefetchQuery(mutedTopicsQuery());
  if (!viewing()) void queryClient.prefetchQuery(calendarLinkQuery());
  return { section: location.hash.slice(1), news: takeNews() };
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
          <ProfileName />
          <ProfileEmail news={news} />
          <ProfilePassword />
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <ProfileSessions />
          <ProfileNotices />
          <ProfileCalendar />
          <ProfileData />
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
