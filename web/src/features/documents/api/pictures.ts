// Addresses of stored pictures, which the server scales down. It turns photos of phones (HEIC) into JPEG.
import { queryOptions } from '@tanstack/react-query';

import { loadStorageClient } from '~/features/documents/api/files';
import type { Bucket } from '~/lib/api/storage';

const VALID_SECONDS = 3600;

/** Address of a picture, scaled down to fit a width in pixels. */
export function pictureQuery(bucket: Bucket, path: string, width: number) {
  return queryOptions({
    queryKey: ['files', 'picture', bucket, path, width],
    async queryFn(): Promise<string> {
      const { storageBucket } = await loadStorageClient();
      const transform = { width, resize: 'contain' } as const;
      const { data, error } = await storageBucket(bucket).createSignedUrl(path, VALID_SECONDS, { transform });
      if (error) throw error;
      return data.signedUrl;
    },
    // Asked again well before the address expires.
    staleTime: (VALID_SECONDS / 2) * 1000,
    gcTime: 60_000,
  });
}
