import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { FileClock, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { PagedTable } from '~/components/query-table';
import { deleteDocument } from '~/features/documents/api/admin-documents';
import { documentKeys } from '~/features/documents/api/documents';
import {
  discardAll,
  type OutlivedDocument,
  outlivedCountQuery,
  outlivedDocumentsQuery,
} from '~/features/documents/api/expired-retention';
import { useAction } from '~/hooks/use-api-mutation';
import { useAsking } from '~/hooks/use-dialog-state';
import { queryClient } from '~/lib/api/query-client';
import { formatDate } from '~/lib/dates';
import { plural } from '~/lib/format';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import type { Column } from '~/ui/data-table';

import { whichDocument } from './document-columns';

const back = { to: paths.adminDocuments(), label: 'Voltar para Documentos' };
const SHOWN_FOR = 7 * 24 * 60 * 60 * 1000;
const failure = { title: 'Erro ao descartar documentos' };

export function loader() {
  void queryClient.prefetchInfiniteQuery(outlivedDocumentsQuery());
  void queryClient.prefetchQuery(outlivedCountQuery());
  return null;
}

export { ExpiredRetentionPage as Component };

function ExpiredRetentionPage() {
  const documents = useInfiniteQuery(outlivedDocumentsQuery());
  const count = useQuery(outlivedCountQuery());
  const [asksAll, setAsksAll] = useState(false);
  const deletion = useAsking<OutlivedDocument>();
  const removal = useAction({
    run: deleteDocument,
    refreshes: [documentKeys.all],
    success: { title: 'Documento descartado' },
    failure,
    onSettled: deletion.close,
  });
  const clearing = useAction({
    run: discardAll,
    refreshes: [documentKeys.all],
    success: { title: 'Documentos descartados' },
    failure,
    onSettled: () => setAsksAll(false),
  });
  const isEmpty = documents.data?.pages.every((page) => page.length === 0) ?? true;
  return (
    <>
      <PageHeader
        title="A descartar"
        description="Documentos que passaram do prazo de guarda da sua pasta."
        back={back}
        {...(!isEmpty && {
          action: (
            <Button variant="danger" icon={<Trash2 size={20} aria-hidden />} onClick={() => setAsksAll(true)}>
              Descartar todos
            </Button>
          ),
        })}
      />
      <PagedTable
        list={documents}
        caption="A descartar"
        columns={columns(deletion.ask)}
        rowKey={({ id }) => id}
        empty={{
          icon: <FileClock size={26} />,
          title: 'Nenhum documento a descartar',
          hint: 'O prazo de guarda se escolhe em cada pasta; o portal confere todas as noites.',
        }}
      />
      <ConfirmDialog
        open={deletion.open}
        onOpenChange={(open) => !open && deletion.close()}
        title="Descartar documento"
        description={
          <p>
            O documento{' '}
            <strong className="text-ink font-medium wrap-anywhere">{deletion.subject?.name}</strong> e o seu
            arquivo serão excluídos. Esta ação não pode ser desfeita.
          </p>
        }
        confirm="Descartar"
        danger
        pending={removal.pending}
        onConfirm={() => deletion.subject && removal.run(deletion.subject)}
      />
      <ConfirmDialog
        open={asksAll}
        onOpenChange={setAsksAll}
        title="Descartar todos"
        description={
          <p>
            {count.data === undefined
              ? 'Todos os documentos desta lista'
              : plural(count.data, 'documento', 'documentos')}{' '}
            e os seus arquivos serão excluídos. Esta ação não pode ser desfeita.
          </p>
        }
        confirm="Descartar todos"
        danger
        pending={clearing.pending}
        onConfirm={() => clearing.run()}
      />
    </>
  );
}

function columns(ask: (document: OutlivedDocument) => void): Column<OutlivedDocument>[] {
  return [
    ...whichDocument,
    {
      header: 'Na lista desde',
      className: 'tabular',
      cell: ({ outlived_at: at }) => at !== null && <time dateTime={at}>{formatDate(at)}</time>,
    },
    {
      header: 'Descarte',
      className: 'tabular',
      cell: ({ discards, outlived_at: at }) =>
        discards && at !== null ? `Sozinho em ${formatDate(goesAt(at))}` : 'Pelo escritório',
    },
    {
      header: 'Ações',
      actions: true,
      cell: (document) => (
        <Button
          variant="quiet-danger"
          className="-mr-4"
          icon={<Trash2 size={18} aria-hidden />}
          aria-label={`Descartar ${document.name}`}
          onClick={() => ask(document)}
        >
          Descartar
        </Button>
      ),
    },
  ];
}

/** What goes by itself is in the list for a week before. */
function goesAt(since: string): string {
  return new Date(Date.parse(since) + SHOWN_FOR).toISOString();
}
