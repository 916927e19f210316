// A stored picture in a dialog, scaled down by the server.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { pictureQuery } from '~/features/documents/api/pictures';
import type { Bucket } from '~/lib/api/storage';
import { cn } from '~/ui/cn';
import { Skeleton } from '~/ui/skeleton';

/** Width for screens of two pixels per point. */
const WIDTH = 1600;

export function LargePicture({ bucket, path, name }: { bucket: Bucket; path: string; name: string }) {
  const { data, isError } = useQuery(pictureQuery(bucket, path, WIDTH));
  const [isBroken, setIsBroken] = useState(false);
  // The server takes a moment for a photo of a phone.
  const [isLoaded, setIsLoaded] = useState(false);
  if (isError || isBroken) return <p>Não foi possível mostrar a imagem. Baixe o arquivo para abri-lo.</p>;
  return (
    <>
      {!isLoaded && <Skeleton className="h-[50dvh] w-full" />}
      {data !== undefined && (
        <img
          src={data}
          alt={name}
          onLoad={() => setIsLoaded(true)}
          onError={() => setIsBroken(true)}
          className={cn('mx-auto max-h-[65dvh] max-w-full rounded object-contain', !isLoaded && 'hidden')}
        />
      )}
    </>
  );
}
