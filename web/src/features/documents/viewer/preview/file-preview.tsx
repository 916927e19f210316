// Preview of a file that a worker reads.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import { TableView } from '~/features/documents/viewer/table-view';
import { TextView } from '~/features/documents/viewer/text-view';
import { Unavailable } from '~/features/documents/viewer/viewer-frame';
import { ToggleGroup } from '~/ui/toggle-group';

import { InvoiceView } from './invoice-view';
import { type PreviewFormat, PreviewRefusedError, type Refusal, type Sheet } from './preview';
import { readPreview } from './read-preview';

const hints: Record<Refusal, string> = {
  'too-large': 'O arquivo é grande demais para ser mostrado aqui. Baixe-o para abri-lo em outro programa.',
  'too-slow': 'O arquivo demora demais para ser mostrado aqui. Baixe-o para abri-lo em outro programa.',
  unreadable:
    'O arquivo parece estar danificado ou protegido. Baixe-o para tentar abri-lo em outro programa.',
};

type FilePreviewProps = {
  format: PreviewFormat;
  path: string;
  file: Blob;
  name: string;
  /** Shown while the worker reads. */
  loading: ReactNode;
};

export function FilePreview({ format, path, file, name, loading }: FilePreviewProps) {
  const preview = useQuery({
    queryKey: ['preview', path],
    queryFn: ({ signal }) => readPreview(file, format, signal),
    retry: false,
    staleTime: 'static',
    gcTime: 0,
  });
  if (preview.isPending) return loading;
  if (preview.isError) {
    const { error } = preview;
    const reason = error instanceof PreviewRefusedError ? error.reason : 'unreadable';
    return <Unavailable type={format} hint={hints[reason]} />;
  }
  switch (preview.data.kind) {
    case 'sheets':
      return <Sheets sheets={preview.data.sheets} />;
    case 'invoice':
      return <InvoiceView invoice={preview.data.invoice} />;
    case 'text':
      return <TextView text={preview.data.text} isCut={preview.data.isCut} />;
    case 'page':
      return (
        <iframe
          title={`Conteúdo de ${name}`}
          // The sandbox disables scripts, forms and navigation.
          sandbox=""
          srcDoc={preview.data.html}
          className="block h-[min(75dvh,60rem)] w-full bg-white"
        />
      );
  }
}

function Sheets({ sheets }: { sheets: readonly Sheet[] }) {
  const [shown, setShown] = useState(0);
  const sheet = sheets[shown];
  return (
    <>
      {sheets.length > 1 && (
        <div className="border-border overflow-x-auto border-b px-3 py-1.5">
          <ToggleGroup
            label="Planilhas"
            variant="quiet"
            value={shown}
            options={sheets.map(({ name }, at) => ({ value: at, label: name }))}
            onChange={setShown}
            className="w-max"
          />
        </div>
      )}
      {sheet && sheet.rows.length > 0 ? (
        // Each sheet begins at its first row.
        <TableView key={shown} rows={sheet.rows} isCut={sheet.isCut} hasHead={hasHead(sheet.rows)} />
      ) : (
        <p className="bg-muted text-muted-foreground p-8 text-center">Esta planilha está vazia.</p>
      )}
    </>
  );
}

/** Whether the first row names the columns: it has a text in each of them. Reports begin with a title instead. */
function hasHead([head = []]: readonly string[][]): boolean {
  return head.length > 1 && head.every((cell) => cell !== '' && !/^[-R$\s\d.,/%]+$/.test(cell));
}
