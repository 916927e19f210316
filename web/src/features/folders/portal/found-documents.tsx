// Documents of all folders that match the search of the folder list.
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ComponentProps, memo } from 'react';
import { Link } from 'react-router';

import { foundDocumentsQuery } from '~/features/documents/api/found-documents';
import { ExpiryLabel } from '~/features/documents/components/expiry-label';
import { useCurrentMinute } from '~/hooks/use-current-minute';
import { useDebouncedValue } from '~/hooks/use-debounced-value';
import { formatDate } from '~/lib/dates';
import { matchesSearch } from '~/lib/text-search';
import { paths } from '~/paths';
import { Card, Panel } from '~/ui/card';
import { EmptyState } from '~/ui/empty-state';
import { FileIcon } from '~/ui/file-icon';
import { InfiniteScroll } from '~/ui/infinite-scroll';
import { SkeletonList } from '~/ui/skeleton';

type FoundDocumentsProps = {
  search: string;
  /** Shown if no document matches. */
  empty: ComponentProps<typeof EmptyState> | undefined;
};

export const FoundDocuments = memo(function FoundDocuments({ search, empty }: FoundDocumentsProps) {
  useCurrentMinute();
  const asked = useDebouncedValue(search);
  const documents = useInfiniteQuery(foundDocumentsQuery(asked));
  const rows = documents.data?.pages.flat().filter(({ name }) => matchesSearch(name, search)) ?? [];
  const mayFindMore =
    asked !== search || documents.isLoading || documents.isPlaceholderData || documents.hasNextPage;
  return (
    <div className="mt-6 first:mt-0">
      {rows.length > 0 && (
        <Panel title="Documentos encontrados">
          <ul aria-label="Documentos encontrados" className="divide-border divide-y">
            {rows.map((document) => (
              <li key={document.id} className="content-auto-17">
                <Link
                  to={paths.document(document.id)}
                  className="hover:bg-muted flex min-h-16 items-center gap-4 px-5 py-3 transition-colors"
                >
                  <FileIcon type={document.type} path={document.file_url} />
                  <span className="flex min-w-0 flex-1 flex-col gap-x-4 sm:flex-row sm:items-center sm:justify-between">
                    <span className="min-w-0">
                      <span className="block font-medium wrap-anywhere">{document.name}</span>
                      <span className="text-muted-foreground block text-sm tabular-nums">
                        {document.folders && `${document.folders.name} · `}Criado em{' '}
                        <time dateTime={document.created_at}>{formatDate(document.created_at)}</time>
                      </span>
                    </span>
                    <ExpiryLabel
                      expiresAt={document.expires_at}
                      payments={document.document_payments}
                      className="shrink-0"
                    />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {rows.length === 0 && mayFindMore && <SkeletonList rows={3} rowClassName="h-16" />}
      {rows.length === 0 && !mayFindMore && empty && (
        <Card>
          <EmptyState {...empty} />
        </Card>
      )}
      <InfiniteScroll
        hasMore={documents.hasNextPage}
        loading={documents.isFetchingNextPage}
        failed={documents.isFetchNextPageError}
        onLoadMore={documents.fetchNextPage}
      />
      {/* `announceRows` fills it in. */}
      <p
        role="status"
        className="sr-only"
        data-answer
        data-rows={rows.length === 0 && mayFindMore ? undefined : rows.length}
      />
    </div>
  );
});
