import { useEffect, useState } from 'react';
import { useLoaderData } from 'react-router';

import { calendarLinkQuery } from '~/data/calendar-link';
import { mutedTopicsQuery } from '~/data/muted-topics';
import { openSessionsQuery } from '~/data/open-sessions';
import { profileQuery } from '~/data/profile';
import { takeNews } from '~/lib/link-news';
import { queryClient } from '~/lib/query';
import { viewing } from '~/lib/viewing';
import { PageHeader } from '~/ui/page-header';

import { ProfileCalendar } from './profile-calendar';
import { ProfileData } from './profile-data';
import { ProfileEmail } from './profile-email';
import { ProfileName } from './profile-name';
import { ProfileNotices } from './profile-notices';
import { ProfilePassword } from './profile-password';
import { ProfileSessions } from './profile-sessions';

/** Starts reading, and takes what a mailed link of a change of address says for itself. */
export function loader() {
  void queryClient.prefetchQuery(profileQuery());
  void queryClient.prefetchQuery(openSessionsQuery());
  void queryClient.prefetchQuery(mutedTopicsQuery());
  if (!viewing()) void queryClient.prefetchQuery(calendarLinkQuery());
  return { section: location.hash.slice(1), news: takeNews() };
}

export function Component() {
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
