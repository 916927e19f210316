// Contents of the guide.
import { CircleHelp } from 'lucide-react';
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { TextLink } from '~/components/text-link';
import type { GuideGroup } from '~/features/help/guide';
import { searchGuide } from '~/features/help/search-guide';
import { Panel } from '~/ui/card';
import { EmptyState } from '~/ui/empty-state';
import { SearchInput } from '~/ui/search-input';

type GuideIndexProps = { guide: readonly GuideGroup[]; pathOf: (slug: string, section?: string) => string };

export function GuideIndex({ guide, pathOf }: GuideIndexProps) {
  const [search, setSearch] = useState('');
  const groups = searchGuide(guide, search);
  return (
    <>
      <PageHeader title="Ajuda" description="Como usar o portal, passo a passo." />
      <SearchInput
        placeholder="Buscar na ajuda"
        value={search}
        onChange={setSearch}
        className="mb-6 max-w-md"
      />
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
                  {page.sections.length > 0 && (
                    <ul className="border-border mb-3 border-l pl-4">
                      {page.sections.map((section) => (
                        <li key={section.id}>
                          <TextLink
                            to={pathOf(page.slug, section.id)}
                            className="inline-flex min-h-11 items-center text-sm"
                          >
                            {section.title}
                          </TextLink>
                        </li>
                      ))}
                    </ul>
                  )}
                </li>
              ))}
            </ul>
          </Panel>
        ))}
      </div>
      <div role="status">
        {groups.length === 0 && (
          <EmptyState
            icon={<CircleHelp size={28} />}
            title="Nenhuma página encontrada"
            hint="A busca procura nos títulos. Tente outra palavra."
          />
        )}
      </div>
    </>
  );
}
