// Requests of the mails that the signed-in member of the staff chose. A topic without a row has no mails.
import { queryOptions } from '@tanstack/react-query';

import type { StaffMailDelivery, StaffMailTopic } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';

export type StaffMailChoices = Partial<Record<StaffMailTopic, StaffMailDelivery>>;

export const staffMailKeys = { all: ['staff-mail-choices'] as const };

export function staffMailChoicesQuery() {
  return queryOptions({
    queryKey: staffMailKeys.all,
    async queryFn({ signal }): Promise<StaffMailChoices> {
      const table = db().from('staff_mail_choices');
      const { data } = await table.select('topic,delivery').abortSignal(signal).throwOnError();
      return Object.fromEntries(data.map(({ topic, delivery }) => [topic, delivery]));
    },
  });
}

/** Saves a choice, which replaces the earlier one of the topic. */
export async function chooseStaffMail(choice: {
  topic: StaffMailTopic;
  delivery: StaffMailDelivery;
}): Promise<void> {
  await db().from('staff_mail_choices').insert(choice).throwOnError();
}
