import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';

import { extensionOf } from '~/lib/files/file-name';
import { ErrorState } from '~/ui/error-state';
import { type FileKind, fileKind } from '~/ui/file-icon';
import { Skeleton } from '~/ui/skeleton';

import { PreviewFrame, Unavailable } from './viewer-frame';

const PdfView = lazy(async () => ({ default: (await import('./pdf-viewer')).PdfView }));
const TextPreview = lazy(async () => ({ default: (await import('./text-viewer')).TextPreview }));

const SHOWN: readonly FileKind[] = ['pdf', 'image', 'text'];
// Under this name or type a text is a table.
const TABLE = 'csv';

/** How the bytes of a stored file are read: whoever shows a preview knows the server, it does not. */
type Read = (path: string) => UseQueryOptions<Blob, Error, Blob, string[]>;

type PreviewProps = {
  type: string;
  path: string | null;
  name: string;
  read: Read;
  actions: ReactNode;
};

/** The document as it is: pages of a PDF, a picture, a text; for anything else its icon. */
export function Preview({ type, path, name, read, actions }: PreviewProps) {
  const kind = fileKind(type, path);
  if (path === null || !SHOWN.includes(kind)) {
    return (
      <PreviewFrame actions={actions}>
        <Unavailable
          type={type}
          path={path}
          hint={
            path === null
              ? 'O arquivo deste documento ainda não está disponível.'
              : 'O navegador não mostra este tipo de arquivo. Baixe o documento para abri-lo.'
          }
        />
      </PreviewFrame>
    );
  }
  const isTable = [type.trim().toLowerCase(), extensionOf(path)].includes(TABLE);
  return <FilePreview kind={kind} isTable={isTable} path={path} name={name} read={read} actions={actions} />;
}

function FilePreview({
  kind,
  isTable,
  path,
  name,
  read,
  actions,
}: {
  kind: FileKind;
  isTable: boolean;
  path: string;
  name: string;
  read: Read;
  actions: ReactNode;
}) {
  const file = useQuery(read(path));
  const loading = (
    <PreviewFrame actions={actions}>
      <div role="status" className="bg-sunken flex h-[min(75dvh,60rem)] justify-center overflow-hidden p-4">
        <span className="sr-only">Carregando…</span>
        <Skeleton className="aspect-[1/1.414] w-full max-w-2xl" />
      </div>
    </PreviewFrame>
  );
  if (file.isPending) return loading;
  if (file.isError) {
    return (
      <PreviewFrame actions={actions}>
        <ErrorState title="Não foi possível carregar o arquivo." onRetry={() => void file.refetch()} />
      </PreviewFrame>
    );
  }
  return (
    <Suspense fallback={loading}>
      {kind === 'pdf' ? (
        <PdfView file={file.data} actions={actions} />
      ) : (
        <PreviewFrame actions={actions}>
          {kind === 'image' ? (
            <Picture file={file.data} name={name} />
          ) : (
            <TextPreview path={path} file={file.data} isTable={isTable} />
          )}
        </PreviewFrame>
      )}
    </Suspense>
  );
}

function Picture({ file, name }: { file: Blob; name: string }) {
  const image = useRef<HTMLImageElement>(null);
  const [broken, setBroken] = useState(false);
  useEffect(() => {
    if (!image.current) return undefined;
    const url = URL.createObjectURL(file);
    image.current.src = url;
    return () => URL.revokeObjectURL(url);
  }, [file]);

  if (broken) {
    return (
      <Unavailable
        type="png"
        hint="A imagem parece estar danificada. Baixe-a para tentar abri-la em outro programa."
      />
    );
  }
  return (
    <div className="bg-sunken flex min-h-80 items-center justify-center p-4">
      <img ref={image} alt={name} onError={() => setBroken(true)} className="max-h-[75dvh] max-w-full" />
    </div>
  );
}
