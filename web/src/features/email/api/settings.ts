// Requests of the notification settings and of their recipient preview.
import { queryOptions } from '@tanstack/react-query';

import type { RecipientPreview } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';

/** Enabled flag of each setting by key. Settings that were never saved are absent. */
export type EmailSettings = Record<string, boolean>;

export const emailSettingKeys = { all: ['email-settings'] as const };

export function emailSettingsQuery() {
  return queryOptions({
    queryKey: [...emailSettingKeys.all, 'all'],
    async queryFn({ signal }): Promise<EmailSettings> {
      const { data } = await db()
        .from('email_notification_settings')
        .select('document_type_event,enabled')
        .abortSignal(signal)
        .throwOnError();
      return Object.fromEntries(data.map(({ document_type_event: key, enabled }) => [key, enabled]));
    },
    meta: { errorToast: { title: 'Erro ao carregar configurações' } },
  });
}

/** Saves the given settings only, so that changes of colleagues to other ones stay. */
export async function saveEmailSettings(settings: EmailSettings): Promise<void> {
  if (Object.keys(settings).length === 0) return;
  await db()
    .from('email_notification_settings')
    .upsert(
      Object.entries(settings).map(([document_type_event, enabled]) => ({ document_type_event, enabled })),
      { onConflict: 'document_type_event' },
    )
    .throwOnError();
}

/** Recipients of the next nightly run under the given settings. */
export async function previewSettingsRecipients(settings: EmailSettings): Promise<RecipientPreview[]> {
  const { data } = await db().rpc('mail_audience', { settings }).throwOnError();
  return data;
}
