// Requests of the calendar feed, a secret URL with the expiry dates of the client's documents.
import { queryOptions } from '@tanstack/react-query';

import { accountApi } from '~/lib/api/account-api';

/** State of the feed. `created_at` is null without a feed. `url` is null for a feed whose URL cannot be shown again. */
export type CalendarFeed = {
  url: string | null;
  created_at: string | null;
  /** Whether the feed contains amounts and payment lines. */
  with_payments: boolean;
};

export const calendarFeedKeys = { all: ['calendar-link'] as const };

export function calendarFeedQuery() {
  return queryOptions({
    queryKey: calendarFeedKeys.all,
    async queryFn({ signal }): Promise<CalendarFeed> {
      return (await accountApi('calendar', { signal })).json();
    },
  });
}

/** Creates a new feed URL, which invalidates the previous one. */
export async function rotateCalendarFeed(): Promise<void> {
  await accountApi('calendar', { method: 'POST' });
}

/** Chooses whether the feed contains amounts and payment lines. */
export async function setFeedPayments(isIncluded: boolean): Promise<void> {
  await accountApi('calendar/payments', { method: isIncluded ? 'PUT' : 'DELETE' });
}

export async function revokeCalendarFeed(): Promise<void> {
  await accountApi('calendar', { method: 'DELETE' });
}
