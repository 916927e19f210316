// Small pictures, each of which opens a large one.
import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useState } from 'react';

import { pictureQuery } from '~/features/documents/api/pictures';
import { useApiMutation } from '~/hooks/use-api-mutation';
import type { Bucket } from '~/lib/api/storage';
import { getExtension } from '~/lib/files/file-name';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { FileIcon } from '~/ui/file-icon';
import { IconButton } from '~/ui/icon-button';
import { Skeleton } from '~/ui/skeleton';

import { LargePicture } from './large-picture';

/** Width of a small picture, for screens of two pixels per point. */
const SMALL = 320;

type Picture = { id: string; name: string; file_url: string };
type PictureGalleryProps = {
  bucket: Bucket;
  pictures: readonly Picture[];
  download: (id: string) => Promise<void>;
};

export function PictureGallery({ bucket, pictures, download }: PictureGalleryProps) {
  const [shown, setShown] = useState<number>();
  const picture = shown === undefined ? undefined : pictures[shown];
  const fetching = useApiMutation({
    mutationFn: download,
    errorToast: {
      title: 'Arquivo não disponível',
      fallback: 'Não foi possível baixar o arquivo. Tente novamente.',
    },
  });
  const count = pictures.length;
  const move = (by: number) => setShown((at) => (at === undefined ? at : (at + by + count) % count));
  const isOpen = picture !== undefined;
  useEffect(() => {
    if (!isOpen) return;
    const moveByKey = ({ key }: KeyboardEvent) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (by !== undefined) setShown((at) => (at === undefined ? at : (at + by + count) % count));
    };
    // The dialog keeps its keys from other listeners.
    addEventListener('keydown', moveByKey, true);
    return () => removeEventListener('keydown', moveByKey, true);
  }, [isOpen, count]);
  return (
    <>
      <ul aria-label="Imagens" className="flex flex-wrap gap-2">
        {pictures.map((one, at) => (
          <li key={one.id}>
            <button
              type="button"
              onClick={() => setShown(at)}
              className="border-border bg-muted block size-24 overflow-hidden rounded border sm:size-28"
            >
              <span className="sr-only">Ver {one.name}</span>
              <SmallPicture bucket={bucket} path={one.file_url} name={one.name} />
            </button>
          </li>
        ))}
      </ul>
      {picture && (
        <Dialog
          open
          onOpenChange={(open) => !open && setShown(undefined)}
          title={picture.name}
          className="sm:max-w-4xl!"
          footer={
            <>
              {count > 1 && (
                <span className="flex items-center gap-1 sm:mr-auto">
                  <IconButton
                    label="Imagem anterior"
                    icon={<ChevronLeft size={20} aria-hidden />}
                    onClick={() => move(-1)}
                  />
                  <span aria-live="polite" className="text-muted-foreground text-sm tabular-nums">
                    {(shown ?? 0) + 1} de {count}
                  </span>
                  <IconButton
                    label="Próxima imagem"
                    icon={<ChevronRight size={20} aria-hidden />}
                    onClick={() => move(1)}
                  />
                </span>
              )}
              <Button
                variant="secondary"
                pending={fetching.isPending}
                onClick={() => fetching.mutate(picture.id)}
              >
                Baixar
              </Button>
            </>
          }
        >
          <LargePicture key={picture.id} bucket={bucket} path={picture.file_url} name={picture.name} />
        </Dialog>
      )}
    </>
  );
}

function SmallPicture({ bucket, path, name }: { bucket: Bucket; path: string; name: string }) {
  const { data, isError } = useQuery(pictureQuery(bucket, path, SMALL));
  const [isBroken, setIsBroken] = useState(false);
  if (isError || isBroken) {
    return (
      <span className="flex size-full items-center justify-center">
        <FileIcon type={getExtension(name)} size={28} />
      </span>
    );
  }
  if (data === undefined) return <Skeleton className="size-full" />;
  return (
    <img
      src={data}
      alt=""
      loading="lazy"
      onError={() => setIsBroken(true)}
      className="size-full object-cover"
    />
  );
}
