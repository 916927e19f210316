// The secret address under which a person's own calendar program finds what expires.
import { queryOptions } from '@tanstack/react-query';

import { own } from '~/lib/api/portal-api';

/** Without `created_at` there is no address; with it and no `url` there is one that cannot be shown again. */
export type CalendarLink = { url: string | null; created_at: string | null };

export const calendarLinkKeys = { all: ['calendar-link'] as const };

export function calendarLinkQuery() {
  return queryOptions({
    queryKey: calendarLinkKeys.all,
    async queryFn({ signal }): Promise<CalendarLink> {
      return (await own('calendar', { signal })).json();
    },
  });
}

/** A new address; one that there was before is worth nothing then. */
export async function renewCalendarLink(): Promise<CalendarLink> {
  return (await own('calendar', { method: 'POST' })).json();
}

export async function revokeCalendarLink(): Promise<void> {
  await own('calendar', { method: 'DELETE' });
}
