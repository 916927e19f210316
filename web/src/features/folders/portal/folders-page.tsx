// Folder list of the clients.
import { useQuery } from '@tanstack/react-query';
import { CalendarDays, FolderOpen, Upload, Wallet } from 'lucide-react';
import { lazy, Suspense, useDeferredValue, useState } from 'react';
import { Link } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { QueryList } from '~/components/query-list';
import { lastVisitQuery, unreadCountsQuery } from '~/features/documents/api/read-receipts';
import { type Folder, foldersQuery } from '~/features/folders/api';
import { queryClient } from '~/lib/api/query-client';
import { pluralize } from '~/lib/format';
import { matchesSearch } from '~/lib/text-search';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import { SearchInput } from '~/ui/search-input';
import { SkeletonList } from '~/ui/skeleton';

const loadBadge = () => import('~/features/folders/components/folder-badge');

// Loaded on demand with all icons, which keeps the first load small.
const FolderBadge = lazy(async () => ({ default: (await loadBadge()).FolderBadge }));

// Loaded on demand, because most visits open a folder without a search.
const FoundDocuments = lazy(async () => ({ default: (await import('./found-documents')).FoundDocuments }));

const EMPTY = {
  icon: <FolderOpen size={26} />,
  title: 'Nenhuma pasta encontrada',
  hint: 'Não há pastas disponíveis',
};

export function loader() {
  void loadBadge().catch(() => {});
  void queryClient.prefetchQuery(foldersQuery());
  void queryClient.prefetchQuery(lastVisitQuery());
  return null;
}

export { PortalFoldersPage as Component };

function PortalFoldersPage() {
  const [search, setSearch] = useState('');
  const folders = useQuery(foldersQuery());
  const unread = useUnreadCounts();
  // A long list follows the typing and does not delay it.
  const listSearch = useDeferredValue(search);
  const isSearch = search.trim() !== '';
  const found = folders.data?.filter((folder) => matchesSearch(folder.name, search));
  return (
    <>
      <PageHeader
        title="Documentos"
        secondary={
          <div className="flex gap-2 max-sm:flex-wrap max-sm:*:grow max-sm:*:px-2">
            <ButtonLink
              to={paths.calendar()}
              variant="secondary"
              icon={<CalendarDays size={20} aria-hidden />}
            >
              Ver Calendário
            </ButtonLink>
            <ButtonLink to={paths.payments()} variant="secondary" icon={<Wallet size={20} aria-hidden />}>
              Meus pagamentos
            </ButtonLink>
          </div>
        }
        action={
          <ButtonLink to={paths.sendDocument()} icon={<Upload size={20} aria-hidden />}>
            Enviar documento
          </ButtonLink>
        }
      />
      <SearchInput
        value={search}
        onChange={setSearch}
        placeholder="Buscar pastas..."
        className="mb-6 max-w-md"
      />
      <QueryList
        query={folders}
        rows={found}
        loading={
          <SkeletonList
            rows={3}
            className="sm:grid sm:grid-cols-2 sm:gap-4 lg:grid-cols-3"
            rowClassName="h-24"
          />
        }
        empty={EMPTY}
        // A search may still find documents.
        canBeEmpty={!isSearch}
        card
      >
        {(shown) => (
          <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 sm:gap-4 lg:grid-cols-3">
            {shown.map((folder) => (
              <li key={folder.id}>
                <FolderCard folder={folder} unread={unread?.get(folder.id) ?? 0} />
              </li>
            ))}
          </ul>
        )}
      </QueryList>
      {isSearch && found && (
        <Suspense>
          <FoundDocuments search={listSearch} empty={found.length === 0 ? EMPTY : undefined} />
        </Suspense>
      )}
    </>
  );
}

/** Number of unread documents per folder, undefined while loading. */
function useUnreadCounts(): Map<string, number> | undefined {
  const { data: lastVisit } = useQuery(lastVisitQuery());
  return useQuery({ ...unreadCountsQuery(lastVisit ?? null), enabled: lastVisit !== undefined }).data;
}

function FolderCard({ folder, unread }: { folder: Folder; unread: number }) {
  return (
    <Link
      to={paths.folder(folder.id)}
      className="border-border bg-card hover:border-input flex h-full min-h-24 items-center gap-4 rounded border p-5 transition-colors"
    >
      <span className="size-12 shrink-0">
        <Suspense>
          <FolderBadge icon={folder.icon} isEmpty={folder.documents === 0} />
        </Suspense>
      </span>
      <span className="min-w-0">
        <span
          className={`line-clamp-2 wrap-anywhere ${folder.documents > 0 ? 'font-medium' : 'text-muted-foreground'}`}
        >
          {folder.name}
        </span>
        <span className="text-muted-foreground block text-sm tabular-nums">
          {pluralize(folder.documents, 'documento', 'documentos')}
        </span>
      </span>
      {unread > 0 && (
        <Badge tone="primary" className="ml-auto">
          {pluralize(unread, 'novo', 'novos')}
        </Badge>
      )}
    </Link>
  );
}
