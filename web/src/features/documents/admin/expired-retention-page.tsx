// List of the documents whose retention period has expired.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { FileClock, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { QueryTable } from '~/components/query-table';
import { documentKeys } from '~/features/documents/api/documents';
import {
  discardAllRetentionExpired,
  discardDocument,
  type RetentionExpiredDocument,
  retentionExpiredCountQuery,
  retentionExpiredQuery,
} from '~/features/documents/api/expired-retention';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useDialogState } from '~/hooks/use-dialog-state';
import { queryClient } from '~/lib/api/query-client';
import { pluralize } from '~/lib/format';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';

import { expiredRetentionColumns } from './expired-retention-columns';
import { removalToast } from './removal-toast';

const back = { to: paths.adminDocuments(), label: 'Voltar para Documentos' };
const failure = { title: 'Erro ao descartar documentos' };

export function loader() {
  void queryClient.prefetchInfiniteQuery(retentionExpiredQuery());
  void queryClient.prefetchQuery(retentionExpiredCountQuery());
  return null;
}

export { ExpiredRetentionPage as Component };

function ExpiredRetentionPage() {
  const documents = useInfiniteQuery(retentionExpiredQuery());
  const count = useQuery(retentionExpiredCountQuery());
  const [asksAll, setAsksAll] = useState(false);
  const deletion = useDialogState<RetentionExpiredDocument>();
  const removal = useApiMutation({
    mutationFn: discardDocument,
    invalidates: [documentKeys.all],
    successToast: { title: 'Documento descartado' },
    errorToast: failure,
    onSettled: deletion.close,
  });
  const clearing = useApiMutation({
    mutationFn: discardAllRetentionExpired,
    invalidates: [documentKeys.all],
    successToast: (result) =>
      removalToast(result, {
        counted: pluralize(result.count, 'documento descartado', 'documentos descartados'),
        errorTitle: failure.title,
      }),
    errorToast: failure,
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
      <QueryTable
        query={documents}
        rows={documents.data?.pages.flat()}
        caption="A descartar"
        columns={expiredRetentionColumns(deletion.show)}
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
            <strong className="text-foreground font-medium wrap-anywhere">{deletion.item?.name}</strong> e o
            seu arquivo serão excluídos. Esta ação não pode ser desfeita.
          </p>
        }
        confirm="Descartar"
        danger
        pending={removal.isPending}
        onConfirm={() => deletion.item && removal.mutate(deletion.item)}
      />
      <ConfirmDialog
        open={asksAll}
        onOpenChange={setAsksAll}
        title="Descartar todos"
        description={
          <p>
            {count.data === undefined
              ? 'Todos os documentos desta lista'
              : pluralize(count.data, 'documento', 'documentos')}{' '}
            e os seus arquivos serão excluídos. Esta ação não pode ser desfeita.
          </p>
        }
        confirm="Descartar todos"
        danger
        pending={clearing.isPending}
        onConfirm={() => clearing.mutate()}
      />
    </>
  );
}
