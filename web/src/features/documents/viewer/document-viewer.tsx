// Document viewer: previews of PDF files, images, texts, tables, spreadsheets, texts of word processors, and XML.
import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';

import type { Bucket } from '~/lib/api/storage';
import { getExtension, isPhonePhoto } from '~/lib/files/file-name';
import { ErrorState } from '~/ui/error-state';
import { type FileKind, fileKind } from '~/ui/file-icon';
import { Skeleton } from '~/ui/skeleton';

import type { PageMark } from './pdf-page';
import { type PreviewFormat, previewFormat } from './preview/preview';
import { ViewerFrame, Unavailable } from './viewer-frame';

const PdfViewer = lazy(async () => ({ default: (await import('./pdf-viewer')).PdfViewer }));
const FilePreview = lazy(async () => ({
  default: (await import('./preview/file-preview')).FilePreview,
}));
const LargePicture = lazy(async () => ({ default: (await import('./large-picture')).LargePicture }));
const TextViewer = lazy(async () => ({ default: (await import('./text-viewer')).TextViewer }));

const SHOWN: readonly FileKind[] = ['pdf', 'image', 'text'];
// File type of tables, by extension or content type.
const TABLE = 'csv';
const NO_MARKS: readonly PageMark[] = [];

/** Query that reads the bytes of a stored file. The caller provides the access. */
type Read = (path: string) => UseQueryOptions<Blob, Error, Blob, string[]>;

type DocumentViewerProps = {
  type: string;
  path: string | null;
  name: string;
  read: Read;
  actions: ReactNode;
  /** Where the server shows photos of phones; without it they have no preview. */
  photosIn?: Bucket;
  /** Places on the pages of a PDF that are highlighted. */
  marks?: readonly PageMark[];
};

/** Shows a preview, or the file icon if the browser cannot show the type. */
export function DocumentViewer({
  type,
  path,
  name,
  read,
  actions,
  photosIn,
  marks = NO_MARKS,
}: DocumentViewerProps) {
  if (path !== null && photosIn !== undefined && isPhonePhoto(path)) {
    return (
      <ViewerFrame actions={actions}>
        <div className="bg-muted p-4">
          <Suspense fallback={<Skeleton className="h-[50dvh] w-full" />}>
            <LargePicture bucket={photosIn} path={path} name={name} />
          </Suspense>
        </div>
      </ViewerFrame>
    );
  }
  const kind = fileKind(type, path);
  const format = path === null ? undefined : previewFormat(type, path);
  if (path === null || (!SHOWN.includes(kind) && format === undefined)) {
    return (
      <ViewerFrame actions={actions}>
        <Unavailable
          type={type}
          path={path}
          hint={
            path === null
              ? 'O arquivo deste documento ainda não está disponível.'
              : 'O navegador não mostra este tipo de arquivo. Baixe o documento para abri-lo.'
          }
        />
      </ViewerFrame>
    );
  }
  const isTable = [type.trim().toLowerCase(), getExtension(path)].includes(TABLE);
  return (
    <StoredFile
      kind={kind}
      format={format}
      isTable={isTable}
      path={path}
      name={name}
      read={read}
      actions={actions}
      marks={marks}
    />
  );
}

function StoredFile({
  kind,
  format,
  isTable,
  path,
  name,
  read,
  actions,
  marks,
}: {
  kind: FileKind;
  format: PreviewFormat | undefined;
  isTable: boolean;
  path: string;
  name: string;
  read: Read;
  actions: ReactNode;
  marks: readonly PageMark[];
}) {
  const file = useQuery(read(path));
  const page = (
    <div role="status" className="bg-muted flex h-[min(75dvh,60rem)] justify-center overflow-hidden p-4">
      <span className="sr-only">Carregando…</span>
      <Skeleton className="aspect-[1/1.414] w-full max-w-2xl" />
    </div>
  );
  const loading = <ViewerFrame actions={actions}>{page}</ViewerFrame>;
  if (file.isPending) return loading;
  if (file.isError) {
    return (
      <ViewerFrame actions={actions}>
        <ErrorState title="Não foi possível carregar o arquivo." onRetry={() => void file.refetch()} />
      </ViewerFrame>
    );
  }
  return (
    <Suspense fallback={loading}>
      {kind === 'pdf' ? (
        <PdfViewer file={file.data} actions={actions} marks={marks} />
      ) : (
        <ViewerFrame actions={actions}>
          {format !== undefined ? (
            <FilePreview format={format} path={path} file={file.data} name={name} loading={page} />
          ) : kind === 'image' ? (
            <Picture file={file.data} name={name} />
          ) : (
            <TextViewer path={path} file={file.data} isTable={isTable} />
          )}
        </ViewerFrame>
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
    <div className="bg-muted flex min-h-80 items-center justify-center p-4">
      <img ref={image} alt={name} onError={() => setBroken(true)} className="max-h-[75dvh] max-w-full" />
    </div>
  );
}
