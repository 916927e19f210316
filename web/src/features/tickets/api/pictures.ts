// Addresses of the pictures among attachments, which the server scales down.
import { queryOptions } from '@tanstack/react-query';

import { loadStorageClient } from '~/features/documents/api/files';

const BUCKET = 'ticket-attachments';
const VALID_SECONDS = 3600;

/** Address of a picture, scaled down to fit a width in pixels. */
export function pictureQuery(path: string, width: number) {
  return queryOptions({
    queryKey: ['files', 'picture', path, width],
    async queryFn(): Promise<string> {
      const { storageBucket } = await loadStorageClient();
      const transform = { width, resize: 'contain' } as const;
      const { data, error } = await storageBucket(BUCKET).createSignedUrl(path, VALID_SECONDS, { transform });
      if (error) throw error;
      return data.signedUrl;
    },
    // Asked again well before the address expires.
    staleTime: (VALID_SECONDS / 2) * 1000,
    gcTime: 60_000,
  });
}
