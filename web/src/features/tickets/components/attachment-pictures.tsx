// The pictures among the attachments of a message: small ones, each of which opens a large one.
import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useState } from 'react';

import { pictureQuery } from '~/features/tickets/api/pictures';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { IconButton } from '~/ui/icon-button';
import { Skeleton } from '~/ui/skeleton';

/** Width of a small and of a large picture, for screens of two pixels per point. */
const SMALL = 320;
const LARGE = 1600;

type Picture = { id: string; name: string; file_url: string };
type AttachmentPicturesProps = {
  pictures: readonly Picture[];
  download: (id: string) => Promise<void>;
};

export function AttachmentPictures({ pictures, download }: AttachmentPicturesProps) {
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
      <ul aria-label="Imagens" className="mt-3 flex flex-wrap gap-2">
        {pictures.map((one, at) => (
          <li key={one.id}>
            <button
              type="button"
              onClick={() => setShown(at)}
              className="border-border bg-muted block size-24 overflow-hidden rounded border sm:size-28"
            >
              <span className="sr-only">Ver {one.name}</span>
              <SmallPicture path={one.file_url} />
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
          <LargePicture key={picture.id} picture={picture} />
        </Dialog>
      )}
    </>
  );
}

function SmallPicture({ path }: { path: string }) {
  const { data } = useQuery(pictureQuery(path, SMALL));
  if (data === undefined) return <Skeleton className="size-full" />;
  return <img src={data} alt="" loading="lazy" className="size-full object-cover" />;
}

function LargePicture({ picture }: { picture: Picture }) {
  const { data, isError } = useQuery(pictureQuery(picture.file_url, LARGE));
  const [isBroken, setIsBroken] = useState(false);
  if (isError || isBroken) return <p>Não foi possível mostrar a imagem. Baixe o arquivo para abri-lo.</p>;
  if (data === undefined) return <Skeleton className="h-[50dvh] w-full" />;
  return (
    <img
      src={data}
      alt={picture.name}
      onError={() => setIsBroken(true)}
      className="mx-auto max-h-[65dvh] max-w-full rounded object-contain"
    />
  );
}
