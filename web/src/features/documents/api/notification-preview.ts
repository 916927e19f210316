// Whether a client will hear of a document that is about to be saved.
import { queryOptions } from '@tanstack/react-query';

import { emailSettingKeys } from '~/features/email/api/settings';
import type { AboutToBeSaved, MailAudience } from '~/lib/api/database.types';
import { rest } from '~/lib/api/postgrest';

export function documentAudienceQuery(document: AboutToBeSaved) {
  return queryOptions({
    queryKey: [...emailSettingKeys.all, 'document', document],
    async queryFn({ signal }): Promise<MailAudience[]> {
      const { data } = await rest().rpc('mail_audience', { document }).abortSignal(signal).throwOnError();
      return data;
    },
    enabled: document.client_id !== '' && document.folder_id_supabase !== '',
  });
}
