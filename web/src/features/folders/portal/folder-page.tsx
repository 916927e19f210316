// Folder page of the clients.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { CalendarDays, FileSearch, FolderX } from 'lucide-react';
import { memo, useDeferredValue, useState } from 'react';
import { Link, type LoaderFunctionArgs, useParams } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { QueryList } from '~/components/query-list';
import { RecordNotFound } from '~/components/record-page';
import { folderDocumentsQuery, isUnread, type FolderDocument } from '~/features/documents/api/documents';
import { lastVisitQuery } from '~/features/documents/api/read-receipts';
import { ExpiryLabel } from '~/features/documents/components/expiry-label';
import { foldersQuery } from '~/features/folders/api';
import { useCurrentMinute } from '~/hooks/use-current-minute';
import { useDebouncedValue } from '~/hooks/use-debounced-value';
import { queryClient } from '~/lib/api/query-client';
import { formatDate } from '~/lib/dates';
import { matchesSearch } from '~/lib/text-search';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import { FileIcon } from '~/ui/file-icon';
import { SearchInput } from '~/ui/search-input';
import { SkeletonList } from '~/ui/skeleton';

const back = { to: paths.documents(), label: 'Voltar para Documentos' };

export function loader({ params: { folderId = '' } }: LoaderFunctionArgs) {
  void queryClient.prefetchQuery(foldersQuery());
  void queryClient.prefetchQuery(lastVisitQuery());
  void queryClient.prefetchInfiniteQuery(folderDocumentsQuery(folderId, ''));
  return null;
}

export { FolderPage as Component };

function FolderPage() {
  const { folderId = '' } = useParams();
  // The key resets the search when the folder changes.
  return <FolderScreen key={folderId} folderId={folderId} />;
}

function FolderScreen({ folderId }: { folderId: string }) {
  const [search, setSearch] = useState('');
  // A long list follows the typing and does not delay it.
  const listSearch = useDeferredValue(search);
  const folders = useQuery(foldersQuery());
  const folder = folders.data?.find((one) => one.id === folderId);
  if (folders.data && !folder) {
    return (
      <RecordNotFound
        icon={FolderX}
        title="Pasta não encontrada"
        hint="A pasta solicitada não existe ou foi removida"
        back={back}
      />
    );
  }
  return (
    <>
      <PageHeader
        title={folder?.name ?? 'Documentos'}
        back={back}
        secondary={
          <ButtonLink to={paths.calendar()} variant="secondary" icon={<CalendarDays size={20} aria-hidden />}>
            Ver Calendário
          </ButtonLink>
        }
      />
      <SearchInput
        value={search}
        onChange={setSearch}
        placeholder="Buscar documentos..."
        className="mb-6 max-w-md"
      />
      <DocumentList folderId={folderId} search={listSearch} />
    </>
  );
}

type DocumentListProps = { folderId: string; search: string };

const DocumentList = memo(function DocumentList({ folderId, search }: DocumentListProps) {
  useCurrentMinute();
  const lastVisit = useQuery(lastVisitQuery());
  const documents = useInfiniteQuery(folderDocumentsQuery(folderId, useDebouncedValue(search)));
  const rows = documents.data?.pages.flat().filter(({ name }) => matchesSearch(name, search));
  return (
    <QueryList
      query={documents}
      rows={rows}
      loading={
        <SkeletonList
          rows={6}
          className="sm:grid sm:grid-cols-2 sm:gap-4 xl:grid-cols-3"
          rowClassName="h-32"
        />
      }
      empty={{
        icon: <FileSearch size={26} />,
        title: 'Nenhum documento encontrado',
        hint: search.trim() === '' ? 'Esta pasta está vazia' : 'Tente ajustar sua busca.',
      }}
      canBeEmpty={!documents.hasNextPage && !documents.isPlaceholderData}
      card
    >
      {(shown) => (
        <ul
          aria-busy={documents.isPlaceholderData}
          className="grid gap-3 sm:grid-cols-2 sm:gap-4 xl:grid-cols-3"
        >
          {shown.map((document) => (
            // A card out of sight costs no layout, however many were read.
            <li key={document.id} className="content-auto-33">
              <DocumentCard
                document={document}
                isNew={lastVisit.data !== undefined && isUnread(document, lastVisit.data)}
              />
            </li>
          ))}
        </ul>
      )}
    </QueryList>
  );
});

function DocumentCard({ document, isNew: fresh }: { document: FolderDocument; isNew: boolean }) {
  return (
    <Link
      to={paths.document(document.id)}
      className="border-border bg-card hover:border-input flex h-full gap-4 rounded border p-5 transition-colors"
    >
      <FileIcon type={document.type} path={document.file_url} size={28} className="mt-0.5" />
      <span className="flex min-w-0 flex-1 flex-col gap-1">
        <span className="line-clamp-2 font-medium wrap-anywhere" title={document.name}>
          {document.name}
        </span>
        <span className="text-muted-foreground text-sm tabular-nums">
          {document.type !== '' && `${document.type.toUpperCase()} · `}Criado em{' '}
          <time dateTime={document.created_at}>{formatDate(document.created_at)}</time>
        </span>
        <span className="mt-auto flex items-end justify-between gap-2 pt-1">
          <ExpiryLabel expiresAt={document.expires_at} payments={document.document_payments} />
          {fresh && (
            <Badge tone="primary" className="ml-auto">
              Novo
            </Badge>
          )}
        </span>
      </span>
    </Link>
  );
}
