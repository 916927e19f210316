// The secret address under which a person's own calendar program finds what expires.
import { queryOptions } from '@tanstack/react-query';

import { portalApi } from '~/lib/api/portal-api';

/** Without `created_at` there is no address; with it and no `url` there is one that cannot be shown again. */
export type CalendarFeed = { url: string | null; created_at: string | null };

export const calendarFeedKeys = { all: ['calendar-link'] as const };

export function calendarFeedQuery() {
  return queryOptions({
    queryKey: calendarFeedKeys.all,
    async queryFn({ signal }): Promise<CalendarFeed> {
      return (await portalApi('calendar', { signal })).json();
    },
  });
}

/** A new address; one that there was before is worth nothing then. */
export async function rotateCalendarFeed(): Promise<CalendarFeed> {
  return (await portalApi('calendar', { method: 'POST' })).json();
}

export async function revokeCalendarFeed(): Promise<void> {
  await portalApi('calendar', { method: 'DELETE' });
}
