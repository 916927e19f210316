// A stored picture in a dialog, scaled down by the server.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { pictureQuery } from '~/features/documents/api/pictures';
import type { Bucket } from '~/lib/api/storage';
import { Skeleton } from '~/ui/skeleton';

/** Width for screens of two pixels per point. */
const WIDTH = 1600;

export function LargePicture({ bucket, path, name }: { bucket: Bucket; path: string; name: string }) {
  const { data, isError } = useQuery(pictureQuery(bucket, path, WIDTH));
  const [isBroken, setIsBroken] = useState(false);
  if (isError || isBroken) return <p>Não foi possível mostrar a imagem. Baixe o arquivo para abri-lo.</p>;
  if (data === undefined) return <Skeleton className="h-[50dvh] w-full" />;
  return (
    <img
      src={data}
      alt={name}
      onError={() => setIsBroken(true)}
      className="mx-auto max-h-[65dvh] max-w-full rounded object-contain"
    />
  );
}
