// Preview of the notification e-mail for a document that is not saved yet.
import { queryOptions } from '@tanstack/react-query';

import { emailSettingKeys } from '~/features/email/api/settings';
import type { DocumentNotificationInput, RecipientPreview } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';

export function documentNotificationPreviewQuery(document: DocumentNotificationInput) {
  return queryOptions({
    queryKey: [...emailSettingKeys.all, 'document', document],
    async queryFn({ signal }): Promise<RecipientPreview[]> {
      const { data } = await db().rpc('mail_audience', { document }).abortSignal(signal).throwOnError();
      return data;
    },
    enabled: document.client_id !== '' && document.folder_id_supabase !== '',
  });
}
