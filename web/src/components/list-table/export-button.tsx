// Button that exports a list as a CSV file.
import { FileDown } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { useApiMutation } from '~/hooks/use-api-mutation';
import { iteratePages, type PageReader } from '~/lib/api/batches';
import { toCsvBlob } from '~/lib/csv';
import { today } from '~/lib/dates';
import { downloadBlob } from '~/lib/files/download-blob';
import { formatInteger, pluralize } from '~/lib/format';
import { Button, type ButtonVariant } from '~/ui/button';

import type { ListColumn } from './list-column';

type ExportButtonProps<Row> = {
  /** The name of the file, without the date. */
  fileName: string;
  columns: readonly ListColumn<Row>[];
  readPage: PageReader<Row>;
  rowKey: (row: Row) => string;
  /** Only these rows. */
  only?: ReadonlySet<string>;
  variant?: ButtonVariant;
};

/** Exports the shown columns of all rows. The rows are read page by page, so that their number is unlimited. */
export function ExportButton<Row>({
  fileName,
  columns,
  readPage,
  rowKey,
  only,
  variant = 'secondary',
}: ExportButtonProps<Row>) {
  const [read, setRead] = useState(0);
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const action = useApiMutation({
    async mutationFn(): Promise<number | null> {
      const controller = new AbortController();
      const { signal } = controller;
      running.current = controller;
      // By id: a row that is inserted meanwhile moves the others to the next page.
      const lines = new Map<string, string[]>();
      setRead(0);
      try {
        for await (const page of iteratePages(readPage, signal)) {
          for (const row of page) {
            const key = rowKey(row);
            if (!only || only.has(key))
              lines.set(
                key,
                columns.map(({ text, file }) => (file?.text ?? text)(row)),
              );
          }
          setRead(lines.size);
          if (only && lines.size === only.size) break;
        }
      } catch (error) {
        if (signal.aborted) return null;
        throw error;
      }
      const head = columns.map(({ header, file }) => file?.header ?? header);
      downloadBlob(toCsvBlob([head, ...lines.values()]), `${fileName}-${today()}.csv`);
      return lines.size;
    },
    successToast: (count) =>
      count === null
        ? null
        : {
            title: 'Exportação concluída',
            description: pluralize(count, 'linha no arquivo.', 'linhas no arquivo.'),
          },
    errorToast: { title: 'Erro ao exportar' },
  });
  return (
    <Button
      variant={variant}
      icon={<FileDown size={20} aria-hidden />}
      pending={action.isPending}
      onClick={() => action.mutate()}
    >
      {action.isPending && read > 0 ? formatInteger(read) : 'Exportar'}
    </Button>
  );
}
