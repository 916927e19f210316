// Documents of all folders that a client searches by name.
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';

import { portalLoadErrorToast } from '~/lib/api/error-toasts';
import { getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { accentInsensitiveRegex } from '~/lib/text-search';

import { documentKeys, type DocumentSummary } from './documents';

export type FoundDocument = DocumentSummary & {
  file_url: string | null;
  folders: { name: string } | null;
  document_payments: { id: string }[];
};

/** Documents of all folders, newest first, paginated. */
export function foundDocumentsQuery(search: string) {
  return infiniteQueryOptions({
    queryKey: [...documentKeys.all, 'found', search.trim()],
    async queryFn({ pageParam, signal }): Promise<FoundDocument[]> {
      const { data } = await db()
        .from('documents')
        .select('id,name,type,created_at,expires_at,file_url,folders(name),document_payments(id)')
        .regexIMatch('name', accentInsensitiveRegex(search))
        .order('uploaded_at', { ascending: false, nullsFirst: false })
        .order('id', { ascending: false })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    placeholderData: keepPreviousData,
    meta: { errorToast: portalLoadErrorToast },
  });
}
