// Dialog that deletes a client.
import { useQuery } from '@tanstack/react-query';

import { deleteClient } from '~/features/clients/api/client-mutations';
import {
  type Client,
  clientListKeys,
  type ClientRecordCounts,
  clientRecordCountsQuery,
} from '~/features/clients/api/clients';
import { documentKeys } from '~/features/documents/api/documents';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { pluralize } from '~/lib/format';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { Skeleton } from '~/ui/skeleton';

type DeleteClientDialogProps = {
  client: Client | null;
  open: boolean;
  onClose: () => void;
  onDeleted?: () => void;
};

export function DeleteClientDialog({ client, open, onClose, onDeleted }: DeleteClientDialogProps) {
  const removal = useApiMutation({
    mutationFn: deleteClient,
    invalidates: [...clientListKeys, documentKeys.all, ticketKeys.all],
    successToast: (_, { fullName, email }) => ({
      title: 'Ação de Exclusão',
      description: `A exclusão do cliente ${fullName ?? email} foi executada no servidor.`,
    }),
    errorToast: { title: 'Ação de Exclusão', fallback: 'O servidor recusou a exclusão.' },
    onSuccessIfMounted: () => {
      onClose();
      onDeleted?.();
    },
    onError: onClose,
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(wanted) => !wanted && onClose()}
      title="Confirmar Exclusão"
      description={client && <Consequences client={client} />}
      confirm="Excluir"
      danger
      pending={removal.isPending}
      onConfirm={() => client && removal.mutate(client)}
    />
  );
}

function Consequences({ client: { id, fullName, email } }: { client: Client }) {
  const holdings = useQuery(clientRecordCountsQuery(id));
  return (
    <div className="flex flex-col gap-2">
      <p>
        Tem certeza que deseja excluir o cliente{' '}
        <strong className="text-foreground font-medium wrap-anywhere">{fullName ?? email}</strong>? Esta ação
        não pode ser desfeita.
      </p>
      <p>
        O acesso ao portal termina na hora.{' '}
        {holdings.isPending && <Skeleton className="inline-block h-4 w-64 max-w-full align-middle" />}
        {holdings.isError && 'Os documentos, arquivos e tickets do cliente serão excluídos junto.'}
        {holdings.isSuccess && describeLoss(holdings.data)}
      </p>
    </div>
  );
}

function describeLoss({ documents, trashed, tickets, inboxFiles }: ClientRecordCounts): string {
  const total = documents + trashed + tickets + inboxFiles;
  if (total === 0) return 'O cliente não tem documentos nem tickets.';
  const parts = [
    ...(documents > 0 ? [pluralize(documents, 'documento', 'documentos')] : []),
    ...(trashed > 0 ? [pluralize(trashed, 'documento da lixeira', 'documentos da lixeira')] : []),
    ...(tickets > 0 ? [pluralize(tickets, 'ticket', 'tickets')] : []),
    ...(inboxFiles > 0
      ? [pluralize(inboxFiles, 'arquivo da Caixa de entrada', 'arquivos da Caixa de entrada')]
      : []),
  ];
  const verb = total === 1 ? 'Será excluído' : 'Serão excluídos';
  return `${verb} junto: ${new Intl.ListFormat('pt-BR').format(parts)}.`;
}
