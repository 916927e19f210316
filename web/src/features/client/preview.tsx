import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';

import { fileQuery } from '~/data/files';
import { type FileKind, fileKind } from '~/ui/file-icon';
import { Skeleton } from '~/ui/skeleton';
import { ErrorState } from '~/ui/states';

import { PreviewFrame, Unavailable } from './preview-frame';

const PdfView = lazy(async () => ({ default: (await import('./pdf-view')).PdfView }));

const SHOWN: readonly FileKind[] = ['pdf', 'image', 'text'];
// A browser lays out no more than this without stuttering; the whole text is in the download.
const MAX_TEXT = 200_000;

type PreviewProps = { type: string; path: string | null; name: string; actions: ReactNode };

/** The document as it is: pages of a PDF, a picture, a text; for anything else its icon. */
export function Preview({ type, path, name, actions }: PreviewProps) {
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
  return <FilePreview kind={kind} path={path} name={name} actions={actions} />;
}

function FilePreview({
  kind,
  path,
  name,
  actions,
}: {
  kind: FileKind;
  path: string;
  name: string;
  actions: ReactNode;
}) {
  const file = useQuery(fileQuery(path));
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
  if (kind === 'pdf') {
    return (
      <Suspense fallback={loading}>
        <PdfView file={file.data} actions={actions} />
      </Suspense>
    );
  }
  return (
    <PreviewFrame actions={actions}>
      {kind === 'image' ? <Picture file={file.data} name={name} /> : <Text file={file.data} />}
    </PreviewFrame>
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

function Text({ file }: { file: Blob }) {
  const text = useQuery({
    queryKey: ['text', file],
    queryFn: async () => decode(await file.arrayBuffer()),
    gcTime: 0,
  });
  return (
    <pre
      // Scrollable with the arrow keys.
      tabIndex={0}
      role="region"
      aria-label="Texto do documento"
      className="bg-sunken h-[min(75dvh,60rem)] overflow-auto p-5 font-mono text-sm wrap-anywhere whitespace-pre-wrap"
    >
      {text.data?.slice(0, MAX_TEXT)}
      {(text.data?.length ?? 0) > MAX_TEXT && '\n\n… O restante está no arquivo baixado.'}
    </pre>
  );
}

/** UTF-8, or what Brazilian banks and older spreadsheets still write. */
function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
