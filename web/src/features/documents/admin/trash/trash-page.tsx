// The trash: deleted documents, with who deleted them and until when they stay.
import { useInfiniteQuery } from '@tanstack/react-query';
import { ArchiveRestore, Download, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { LoaderFunctionArgs } from 'react-router';

import { formatSort, parseSort, SORT_PARAM } from '~/components/list-table/list-column';
import { ListTable } from '~/components/list-table/list-table';
import { PageHeader } from '~/components/page-header';
import { useRights } from '~/features/auth/rights';
import { useUser } from '~/features/auth/session';
import { downloadFile } from '~/features/documents/api/files';
import {
  type DeletedDocument,
  fetchDeletedDocuments,
  LAST_DELETED_FIRST,
  trashQuery,
} from '~/features/documents/api/trash';
import { HelpLink } from '~/features/help/components/help-link';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useUrlParams } from '~/hooks/use-url-params';
import { useUrlSearch } from '~/hooks/use-url-search';
import { queryClient } from '~/lib/api/query-client';
import { downloadFileName } from '~/lib/files/file-name';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { MenuItem } from '~/ui/menu';
import { SearchInput } from '~/ui/search-input';

import { PurgeDialog, type PurgedDocuments } from './purge-dialog';
import { TrashBulkActions } from './trash-bulk-actions';
import { trashColumns } from './trash-columns';
import { useRestore } from './use-restore';

const SEARCH_PARAM = 'busca';
const back = { to: paths.adminDocuments(), label: 'Voltar para Documentos' };

export function loader({ request }: LoaderFunctionArgs) {
  const params = new URL(request.url).searchParams;
  const sort = parseSort(params, trashColumns, LAST_DELETED_FIRST);
  void queryClient.prefetchInfiniteQuery(trashQuery(params.get(SEARCH_PARAM) ?? '', sort));
  return null;
}

export { TrashPage as Component };

function TrashPage() {
  const { id: owner } = useUser();
  const { mayWrite } = useRights();
  const url = useUrlParams();
  const [params, setParam] = url;
  const { typed, search, setTyped } = useUrlSearch(SEARCH_PARAM, url);
  const sort = parseSort(params, trashColumns, LAST_DELETED_FIRST);
  const documents = useInfiniteQuery(trashQuery(search, sort));
  const [purged, setPurged] = useState<PurgedDocuments | null>(null);
  const { restore, dialog } = useRestore();
  const download = useApiMutation({
    async mutationFn({ name, file_url: path }: DeletedDocument) {
      if (path === null) return;
      const fileName = downloadFileName({ name, type: '', file_url: path });
      await downloadFile({ path, name: fileName, bucket: 'deleted-documents' });
    },
    errorToast: { title: 'Arquivo não disponível' },
  });
  const isEmpty = documents.data?.pages.every((page) => page.length === 0) ?? true;
  const isFiltered = typed.trim() !== '';
  return (
    <>
      <PageHeader
        title="Lixeira"
        description={
          <>
            Documentos excluídos. Cada um fica aqui 30 dias e depois é apagado com o seu arquivo.{' '}
            <HelpLink to={paths.adminGuidePage('lixeira-de-documentos')} />
          </>
        }
        back={back}
        {...(mayWrite &&
          !isEmpty &&
          !isFiltered && {
            secondary: (
              <Button
                variant="quiet-danger"
                icon={<Trash2 size={20} aria-hidden />}
                onClick={() => setPurged('all')}
              >
                Esvaziar lixeira
              </Button>
            ),
          })}
      />
      <ListTable
        name="lixeira"
        owner={owner}
        caption="Documentos excluídos"
        query={documents}
        readPage={(page) => fetchDeletedDocuments(typed.trim(), sort, page)}
        columns={trashColumns}
        rowKey={rowKey}
        rowLabel={rowLabel}
        sort={sort}
        onSort={(next) => setParam(SORT_PARAM, formatSort(next, trashColumns, LAST_DELETED_FIRST))}
        search={
          <SearchInput
            value={typed}
            onChange={setTyped}
            placeholder="Buscar por nome ou cliente..."
            maxLength={100}
          />
        }
        renderMenu={(document) => (
          <>
            {mayWrite && (
              <MenuItem
                icon={<ArchiveRestore size={18} aria-hidden />}
                onClick={() => restore([document.id])}
              >
                Restaurar
              </MenuItem>
            )}
            {/* Without a file, readers would find an empty menu. */}
            {(document.file_url !== null || !mayWrite) && (
              <MenuItem
                icon={<Download size={18} aria-hidden />}
                disabled={document.file_url === null}
                onClick={() => download.mutate(document)}
              >
                Baixar
              </MenuItem>
            )}
            {mayWrite && (
              <MenuItem
                danger
                icon={<Trash2 size={18} aria-hidden />}
                onClick={() => setPurged({ ids: [document.id], name: document.name })}
              >
                Excluir definitivamente
              </MenuItem>
            )}
          </>
        )}
        renderBulkActions={(selection) => mayWrite && <TrashBulkActions {...selection} />}
        empty={{
          icon: <Trash2 size={26} />,
          title: isFiltered ? 'Nenhum documento encontrado' : 'A lixeira está vazia',
          hint: isFiltered
            ? 'Tente ajustar sua busca.'
            : 'Documentos excluídos ficam aqui por 30 dias e podem ser restaurados.',
        }}
      />
      {dialog}
      <PurgeDialog documents={purged} onClose={() => setPurged(null)} />
    </>
  );
}

const rowKey = ({ id }: DeletedDocument) => id;
const rowLabel = ({ name }: DeletedDocument) => name;
