// Contents of the guide.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { CircleHelp } from 'lucide-react';
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { QueryContent } from '~/components/query-content';
import { TextLink } from '~/components/text-link';
import type { FoundGroup, FoundPage, GuideGroup, GuideSearch } from '~/features/help/guide';
import { Panel } from '~/ui/card';
import { EmptyState } from '~/ui/empty-state';
import { SearchInput } from '~/ui/search-input';
import { SkeletonList } from '~/ui/skeleton';

type PathOf = (slug: string, section?: string) => string;
type GuideIndexProps = { guide: readonly GuideGroup[]; pathOf: PathOf };

/** The search, which is loaded with the text of all pages on the first input. */
function guideSearchQuery(guide: readonly GuideGroup[]) {
  return queryOptions({
    queryKey: ['guide-search', ...guide.map(({ title }) => title)],
    queryFn: async (): Promise<GuideSearch> =>
      (await import('~/features/help/search-guide')).loadSearch(guide),
    staleTime: 'static',
  });
}

export function GuideIndex({ guide, pathOf }: GuideIndexProps) {
  const [typed, setTyped] = useState('');
  const isSearching = typed.trim() !== '';
  const search = useQuery({ ...guideSearchQuery(guide), enabled: isSearching });
  return (
    <>
      <PageHeader title="Ajuda" description="Como usar o portal, passo a passo." />
      <SearchInput
        placeholder="Buscar na ajuda"
        value={typed}
        onChange={setTyped}
        className="mb-6 max-w-md"
      />
      {isSearching ? (
        <QueryContent query={search} loading={<SkeletonList rows={4} rowClassName="h-16" />} card>
          {(find) => <SearchResult groups={find(typed)} pathOf={pathOf} />}
        </QueryContent>
      ) : (
        <Groups groups={guide} pathOf={pathOf} />
      )}
    </>
  );
}

function SearchResult({ groups, pathOf }: { groups: FoundGroup[]; pathOf: PathOf }) {
  return (
    <>
      <Groups groups={groups} pathOf={pathOf} />
      <div role="status">
        {groups.length === 0 && (
          <EmptyState
            icon={<CircleHelp size={28} />}
            title="Nenhuma página encontrada"
            hint="Tente outra palavra, ou menos palavras."
          />
        )}
      </div>
    </>
  );
}

function Groups({ groups, pathOf }: { groups: readonly (GuideGroup | FoundGroup)[]; pathOf: PathOf }) {
  return (
    <div className="flex flex-col gap-6">
      {groups.map(({ title, pages }) => (
        <Panel key={title} title={title}>
          <ul>
            {pages.map((page) => (
              <li key={page.slug} className="border-border px-5 not-first:border-t">
                <TextLink
                  to={pathOf(page.slug)}
                  className="group text-foreground flex min-h-11 flex-col justify-center py-3 hover:no-underline"
                >
                  <span className="text-primary font-medium group-hover:underline">{page.title}</span>
                  <span className="text-muted-foreground text-sm">{page.summary}</span>
                </TextLink>
                {'sections' in page && page.sections.length > 0 && <Sections page={page} pathOf={pathOf} />}
              </li>
            ))}
          </ul>
        </Panel>
      ))}
    </div>
  );
}

function Sections({ page, pathOf }: { page: FoundPage; pathOf: PathOf }) {
  return (
    <ul className="border-border mb-3 border-l pl-4">
      {page.sections.map(({ id, title, excerpt }) => (
        <li key={id}>
          <TextLink to={pathOf(page.slug, id)} className="inline-flex min-h-11 items-center text-sm">
            {title}
          </TextLink>
          {excerpt !== null && (
            <p className="text-muted-foreground -mt-1.5 max-w-prose pb-2 text-sm">{excerpt}</p>
          )}
        </li>
      ))}
    </ul>
  );
}
