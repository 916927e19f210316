// Document list of the back office.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { FileSearch, Inbox, Trash2, Upload } from 'lucide-react';
import { Link, type LoaderFunctionArgs } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { formatSort, parseSort, SORT_PARAM } from '~/components/list-table/list-column';
import { ListTable } from '~/components/list-table/list-table';
import { PageHeader } from '~/components/page-header';
import { type Rights, useRights } from '~/features/auth/rights';
import { useUser } from '~/features/auth/session';
import {
  type AdminDocumentListItem,
  adminDocumentsQuery,
  deleteDocument,
  fetchAdminDocuments,
  NEWEST_FIRST,
} from '~/features/documents/api/admin-documents';
import { documentKeys } from '~/features/documents/api/documents';
import { retentionExpiredCountQuery } from '~/features/documents/api/expired-retention';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useDialogState } from '~/hooks/use-dialog-state';
import { useUrlParams } from '~/hooks/use-url-params';
import { useUrlSearch } from '~/hooks/use-url-search';
import { queryClient } from '~/lib/api/query-client';
import { pluralize } from '~/lib/format';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { MenuItem } from '~/ui/menu';
import { SearchInput } from '~/ui/search-input';

import { DocumentBulkActions } from './document-bulk-actions';
import { DocumentFilterBar } from './document-filter-bar';
import { PARAM_NAMES, parseDocumentFilters } from './document-filters';
import { documentsColumns } from './documents-columns';
import { useUndoDeletion } from './trash/use-undo-deletion';

export function loader({ request }: LoaderFunctionArgs) {
  const params = new URL(request.url).searchParams;
  const sort = parseSort(params, documentsColumns, NEWEST_FIRST);
  void queryClient.prefetchInfiniteQuery(adminDocumentsQuery(parseDocumentFilters(params), sort));
  return null;
}

export { DocumentsPage as Component };

function DocumentsPage() {
  const { id: owner } = useUser();
  const rights = useRights();
  const url = useUrlParams();
  const [params, setParam, clearParams] = url;
  const { typed, search, setTyped } = useUrlSearch(PARAM_NAMES.search, url);
  const filters = { ...parseDocumentFilters(params), search };
  const sort = parseSort(params, documentsColumns, NEWEST_FIRST);
  const documents = useInfiniteQuery(adminDocumentsQuery(filters, sort));
  const deletion = useDialogState<AdminDocumentListItem>();
  const undo = useUndoDeletion();
  const removal = useApiMutation({
    mutationFn: (document: AdminDocumentListItem) => deleteDocument(document),
    invalidates: [documentKeys.all],
    successToast: (_, { id }) => ({ title: 'Documento excluído com sucesso!', action: undo([id]) }),
    errorToast: { title: 'Erro ao excluir documento' },
    onSuccess: deletion.close,
    onError: deletion.close,
  });
  const isFiltered = typed.trim() !== '' || Object.values(PARAM_NAMES).some((name) => params.has(name));
  const clear = () => {
    setTyped('');
    clearParams();
  };
  return (
    <>
      <PageHeader
        title="Gerenciar Documentos"
        action={rights.mayWrite && <NewDocumentLink />}
        secondary={
          <div className="flex gap-2 max-sm:*:flex-1">
            <ButtonLink
              to={paths.adminDocumentTrash()}
              variant="quiet"
              icon={<Trash2 size={20} aria-hidden />}
            >
              Lixeira
            </ButtonLink>
            {rights.mayWrite && (
              <ButtonLink to={paths.adminInbox()} variant="secondary" icon={<Inbox size={20} aria-hidden />}>
                Caixa de entrada
              </ButtonLink>
            )}
          </div>
        }
      />
      {rights.mayWrite && <ExpiredRetentionLink />}
      <ListTable
        name="documentos"
        owner={owner}
        caption="Documentos"
        query={documents}
        readPage={(page) => fetchAdminDocuments({ ...filters, search: typed.trim() }, sort, page)}
        columns={documentsColumns}
        rowKey={rowKey}
        rowLabel={rowLabel}
        sort={sort}
        onSort={(next) => setParam(SORT_PARAM, formatSort(next, documentsColumns, NEWEST_FIRST))}
        search={
          <SearchInput
            value={typed}
            onChange={setTyped}
            placeholder="Buscar por nome, cliente ou pasta..."
            maxLength={100}
          />
        }
        filters={
          <DocumentFilterBar params={params} onChange={setParam} onClear={isFiltered ? clear : undefined} />
        }
        {...(rights.mayWrite && {
          renderMenu: (document: AdminDocumentListItem) => (
            <MenuItem danger icon={<Trash2 size={18} aria-hidden />} onClick={() => deletion.show(document)}>
              Excluir
            </MenuItem>
          ),
        })}
        renderBulkActions={(selection) => rights.mayWrite && <DocumentBulkActions {...selection} />}
        empty={{
          icon: <FileSearch size={26} />,
          title: 'Nenhum documento encontrado',
          hint: isFiltered ? 'Tente ajustar sua busca.' : emptyHint(rights),
          ...(!isFiltered && rights.mayWrite && { action: <NewDocumentLink /> }),
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
            cliente deixa de vê-lo na hora. O documento fica 30 dias na lixeira e pode ser restaurado.
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

const emptyHint = ({ mayWrite }: Rights) =>
  mayWrite ? 'Envie o primeiro documento.' : 'Os documentos dos clientes aparecem aqui.';
const rowKey = ({ id }: AdminDocumentListItem) => id;
const rowLabel = ({ name }: AdminDocumentListItem) => name;

/** Link to the documents with expired retention, shown only if there are any. */
function ExpiredRetentionLink() {
  const { data: count = 0 } = useQuery(retentionExpiredCountQuery());
  if (count === 0) return null;
  return (
    <Alert variant="info" className="mb-6">
      {pluralize(count, 'documento passou', 'documentos passaram')} do prazo de guarda.{' '}
      <Link to={paths.adminExpiredRetention()} className="text-primary font-medium underline">
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
