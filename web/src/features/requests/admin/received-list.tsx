// Files that clients sent without a request and that wait to be filed.
import { useQuery } from '@tanstack/react-query';
import { Inbox } from 'lucide-react';

import { QueryTable } from '~/components/query-table';
import { useRights } from '~/features/auth/rights';
import { clientLabel, type OfficeFile, unfiledFilesQuery } from '~/features/requests/api/admin-requests';
import { deleteReceivedFile, requestKeys } from '~/features/requests/api/requests';
import { ReceivedFileItem } from '~/features/requests/components/received-file-item';
import { subjectOf } from '~/features/requests/proposed-names';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useDialogState } from '~/hooks/use-dialog-state';
import { formatDateTime } from '~/lib/dates';
import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import type { Column } from '~/ui/data-table';
import { Dialog } from '~/ui/dialog';

import { ClientName } from './client-name';
import { FilingForm } from './filing-form';

export function ReceivedList() {
  const { mayWrite } = useRights();
  const received = useQuery(unfiledFilesQuery());
  const filing = useDialogState<OfficeFile>();
  const deletion = useDialogState<OfficeFile>();
  const removal = useApiMutation({
    mutationFn: deleteReceivedFile,
    invalidates: [requestKeys.all],
    successToast: { title: 'Arquivo excluído' },
    errorToast: { title: 'Erro ao excluir arquivo' },
    onSettled: deletion.close,
  });
  return (
    <>
      <QueryTable
        query={received}
        rows={received.data}
        caption="Arquivos recebidos"
        columns={mayWrite ? [...receivedColumns, actionsColumn(filing.show, deletion.show)] : receivedColumns}
        rowKey={({ id }) => id}
        empty={{
          icon: <Inbox size={26} />,
          title: 'Nenhum arquivo recebido',
          hint: 'O que os clientes enviam por “Enviar documento” aparece aqui.',
        }}
      />
      <Dialog
        open={filing.open}
        onOpenChange={(open) => !open && filing.close()}
        title="Arquivar"
        description={clientLabel(filing.item?.client ?? null)}
        className="sm:max-w-lg"
      >
        {filing.item && (
          <FilingForm
            key={filing.key}
            files={[filing.item]}
            subject={subjectOf(filing.item)}
            submit="Arquivar"
            onCancel={filing.close}
            onDone={filing.close}
          />
        )}
      </Dialog>
      <ConfirmDialog
        open={deletion.open}
        onOpenChange={(open) => !open && deletion.close()}
        title="Confirmar Exclusão"
        description={`Tem certeza que deseja excluir “${deletion.item?.name ?? ''}”? Esta ação não pode ser desfeita.`}
        confirm="Excluir"
        danger
        pending={removal.isPending}
        onConfirm={() => deletion.item && removal.mutate(deletion.item.id)}
      />
    </>
  );
}

type FileAction = (file: OfficeFile) => void;

const receivedColumns: Column<OfficeFile>[] = [
  {
    header: 'Arquivo',
    primary: true,
    className: '@4xl:w-96',
    cell: (file) => (
      <>
        <ul>
          <ReceivedFileItem file={file} />
        </ul>
        {file.note !== null && (
          <p className="mt-1 text-sm font-normal wrap-anywhere whitespace-pre-line">{file.note}</p>
        )}
      </>
    ),
  },
  {
    header: 'Cliente',
    className: '@4xl:max-w-64',
    cell: ({ client }) => <ClientName client={client} />,
  },
  {
    header: 'Enviado',
    className: 'tabular-nums @4xl:whitespace-nowrap',
    cell: ({ created_at }) => formatDateTime(created_at),
  },
];

function actionsColumn(onFile: FileAction, onDelete: FileAction): Column<OfficeFile> {
  return {
    header: 'Ações',
    actions: true,
    className: '@4xl:whitespace-nowrap',
    cell: (file) => (
      <>
        <Button variant="quiet-danger" aria-label={`Excluir ${file.name}`} onClick={() => onDelete(file)}>
          Excluir
        </Button>
        <Button variant="secondary" aria-label={`Arquivar ${file.name}`} onClick={() => onFile(file)}>
          Arquivar
        </Button>
      </>
    ),
  };
}
