// Document list of the administrators.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { FileSearch, Inbox, Trash2, Upload } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { QueryTable } from '~/components/query-table';
import {
  adminDocumentsQuery,
  deleteDocument,
  type AdminDocumentListItem,
  type PaymentFilter,
} from '~/features/documents/api/admin-documents';
import { documentKeys } from '~/features/documents/api/documents';
import { retentionExpiredCountQuery } from '~/features/documents/api/expired-retention';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useDebouncedValue } from '~/hooks/use-debounced-value';
import { useDialogState } from '~/hooks/use-dialog-state';
import { queryClient } from '~/lib/api/query-client';
import { formatDate } from '~/lib/dates';
import { pluralize } from '~/lib/format';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import type { Column } from '~/ui/data-table';
import { SearchInput } from '~/ui/search-input';
import { ToggleGroup } from '~/ui/toggle-group';

import { documentColumns } from './document-columns';

export function loader() {
  void queryClient.prefetchInfiniteQuery(adminDocumentsQuery(''));
  return null;
}

export { DocumentsPage as Component };

function DocumentsPage() {
  const [search, setSearch] = useState('');
  const [payment, setPayment] = useState<PaymentFilter>('all');
  const documents = useInfiniteQuery(adminDocumentsQuery(useDebouncedValue(search), payment));
  const deletion = useDialogState<AdminDocumentListItem>();
  const removal = useApiMutation({
    mutationFn: deleteDocument,
    invalidates: [documentKeys.all],
    successToast: { title: 'Documento excluído com sucesso!' },
    errorToast: { title: 'Erro ao excluir documento' },
    onSuccess: deletion.close,
    onError: deletion.close,
  });
  const searched = search.trim() !== '' || payment !== 'all';
  return (
    <>
      <PageHeader
        title="Gerenciar Documentos"
        action={<NewDocumentLink />}
        secondary={
          <ButtonLink
            to={paths.adminDocumentBulk()}
            variant="secondary"
            icon={<Inbox size={20} aria-hidden />}
          >
            Caixa de entrada
          </ButtonLink>
        }
      />
      <ExpiredRetentionLink />
      <SearchInput
        value={search}
        onChange={setSearch}
        placeholder="Buscar por nome, cliente ou pasta..."
        maxLength={100}
        className="mb-4 max-w-md"
      />
      <ToggleGroup
        label="Pagamento"
        value={payment}
        options={PAYMENT_OPTIONS}
        onChange={setPayment}
        className="mb-6"
      />
      <QueryTable
        query={documents}
        rows={documents.data?.pages.flat()}
        caption="Documentos"
        columns={columns(deletion.show)}
        rowKey={({ id }) => id}
        empty={{
          icon: <FileSearch size={26} />,
          title: 'Nenhum documento encontrado',
          hint: searched ? 'Tente ajustar sua busca.' : 'Envie o primeiro documento.',
          ...(!searched && { action: <NewDocumentLink /> }),
        }}
      />
      <ConfirmDialog
        open={deletion.open}
        onOpenChange={(open) => !open && deletion.close()}
        title="Confirmar Exclusão"
        description={
          <p>
            Tem certeza que deseja excluir o documento{' '}
            <strong className="text-foreground font-medium wrap-anywhere">{deletion.item?.name}</strong>? O
            cliente deixa de vê-lo na hora. Esta ação não pode ser desfeita.
          </p>
        }
        confirm="Excluir"
        danger
        pending={removal.isPending}
        onConfirm={() => deletion.item && removal.mutate(deletion.item)}
      />
    </>
  );
}

const PAYMENT_OPTIONS: { value: PaymentFilter; label: string }[] = [
  { value: 'all', label: 'Todos' },
  { value: 'unpaid', label: 'A pagar' },
  { value: 'paid', label: 'Pagos' },
];

/** Link to the documents with expired retention, shown only if there are any. */
function ExpiredRetentionLink() {
  const { data: count = 0 } = useQuery(retentionExpiredCountQuery());
  if (count === 0) return null;
  return (
    <Alert variant="info" className="mb-6">
      {pluralize(count, 'documento passou', 'documentos passaram')} do prazo de guarda.{' '}
      <Link to={paths.adminDocumentsOutlived()} className="text-primary font-medium underline">
        Ver o que descartar
      </Link>
    </Alert>
  );
}

function NewDocumentLink() {
  return (
    <ButtonLink to={paths.adminDocumentUpload()} icon={<Upload size={20} aria-hidden />}>
      Novo Documento
    </ButtonLink>
  );
}

function columns(askToDelete: (document: AdminDocumentListItem) => void): Column<AdminDocumentListItem>[] {
  return [
    ...documentColumns,
    {
      header: 'Enviado em',
      className: 'tabular-nums',
      cell: ({ uploaded_at }) => <Day moment={uploaded_at} />,
    },
    {
      header: 'Vencimento',
      className: 'tabular-nums',
      cell: ({ expires_at, document_payments: [paid] }) => (
        <span className="flex flex-col items-start gap-1">
          <Day moment={expires_at} />
          {paid && <Badge tone="success">Pago em {formatDate(paid.paid_on)}</Badge>}
        </span>
      ),
    },
    {
      header: 'Ações',
      actions: true,
      cell: (document) => (
        <Button
          variant="quiet-danger"
          className="-mr-4"
          icon={<Trash2 size={18} aria-hidden />}
          aria-label={`Excluir ${document.name}`}
          onClick={() => askToDelete(document)}
        >
          Excluir
        </Button>
      ),
    },
  ];
}

function Day({ moment }: { moment: string | null }) {
  return moment === null ? 'N/A' : <time dateTime={moment}>{formatDate(moment)}</time>;
}
