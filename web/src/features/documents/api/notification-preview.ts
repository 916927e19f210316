// Preview of the notification e-mail for a document that is not saved yet.
import { queryOptions } from '@tanstack/react-query';

import { emailSettingKeys } from '~/features/email/api/settings';
import type { DocumentNotificationInput, RecipientPreview } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';

/** Why a client gets no mail, except for a setting of the office. */
export const missingMailReasons = {
  muted: 'desligou os avisos de documentos no próprio perfil',
  unreachable: 'este acesso não recebe e-mails',
  no_kind: 'a pasta não tem tipo para notificação',
};

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
