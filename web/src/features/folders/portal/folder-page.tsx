// Folder page of the clients.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { CalendarDays, FileSearch, FolderX } from 'lucide-react';
import { useState } from 'react';
import { Link, type LoaderFunctionArgs, useParams } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { PageHeader, DocumentTitle } from '~/components/page-header';
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
import { Card } from '~/ui/card';
import { EmptyState } from '~/ui/empty-state';
import { ErrorState } from '~/ui/error-state';
import { FileIcon } from '~/ui/file-icon';
import { InfiniteScroll } from '~/ui/infinite-scroll';
import { SearchInput } from '~/ui/search-input';
import { SkeletonList } from '~/ui/skeleton';

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
  useCurrentMinute();
  const folders = useQuery(foldersQuery());
  const lastVisit = useQuery(lastVisitQuery());
  const documents = useInfiniteQuery(folderDocumentsQuery(folderId, useDebouncedValue(search)));
  const folder = folders.data?.find((one) => one.id === folderId);
  const rows = documents.data?.pages.flat().filter(({ name }) => matchesSearch(name, search));
  if (folders.data && !folder) return <NotFound />;
  const isEmpty = rows?.length === 0 && !documents.hasNextPage && !documents.isPlaceholderData;
  return (
    <>
      <PageHeader
        title={folder?.name ?? 'Documentos'}
        back={{ to: paths.documents(), label: 'Voltar para Documentos' }}
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
      {documents.isPending && (
        <SkeletonList
          rows={6}
          className="sm:grid sm:grid-cols-2 sm:gap-4 xl:grid-cols-3"
          rowClassName="h-32"
        />
      )}
      {documents.isError && !rows && (
        <Card>
          <ErrorState onRetry={() => void documents.refetch()} />
        </Card>
      )}
      {isEmpty && (
        <Card>
          <EmptyState
            icon={<FileSearch size={26} />}
            title="Nenhum documento encontrado"
            hint={search.trim() === '' ? 'Esta pasta está vazia' : 'Tente ajustar sua busca.'}
          />
        </Card>
      )}
      {rows && rows.length > 0 && (
        <ul
          aria-busy={documents.isPlaceholderData}
          className="grid gap-3 sm:grid-cols-2 sm:gap-4 xl:grid-cols-3"
        >
          {rows.map((document) => (
            // `content-visibility` skips the layout of cards outside the viewport.
            <li key={document.id} className="content-auto-33">
              <DocumentCard
                document={document}
                isNew={lastVisit.data !== undefined && isUnread(document, lastVisit.data)}
              />
            </li>
          ))}
        </ul>
      )}
      <InfiniteScroll
        hasMore={documents.hasNextPage}
        loading={documents.isFetchingNextPage}
        failed={documents.isFetchNextPageError}
        onLoadMore={documents.fetchNextPage}
      />
    </>
  );
}

/** Shown for deleted and unknown folders alike. */
function NotFound() {
  return (
    <Card>
      <DocumentTitle title="Pasta não encontrada" />
      <EmptyState
        icon={<FolderX size={26} />}
        title="Pasta não encontrada"
        heading
        hint="A pasta solicitada não existe ou foi removida"
        action={<ButtonLink to={paths.documents()}>Voltar para Documentos</ButtonLink>}
      />
    </Card>
  );
}

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
          <ExpiryLabel expiresAt={document.expires_at} />
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
