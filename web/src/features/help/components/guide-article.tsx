// A page of the guide.
import { ArrowRight, CircleHelp } from 'lucide-react';
import { Link } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { TextLink } from '~/components/text-link';
import { findPage, type GuideBlock, type GuideGroup, sectionsOf } from '~/features/help/guide';
import { EmptyState } from '~/ui/empty-state';

import { GuideContent } from './guide-content';

type GuideArticleProps = {
  guide: readonly GuideGroup[];
  slug: string;
  /** Null if the guide has no such page. */
  blocks: GuideBlock[] | null;
  home: string;
  pathOf: (slug: string, section?: string) => string;
};

export function GuideArticle({ guide, slug, blocks, home, pathOf }: GuideArticleProps) {
  const { page, next } = findPage(guide, slug);
  if (!page || !blocks) {
    return (
      <EmptyState
        heading
        icon={<CircleHelp size={28} />}
        title="Página não encontrada"
        hint="A ajuda não tem esta página. Procure o assunto no índice."
        action={
          <ButtonLink variant="secondary" to={home}>
            Voltar para Ajuda
          </ButtonLink>
        }
      />
    );
  }
  const sections = sectionsOf(blocks);
  return (
    <>
      <PageHeader title={page.title} back={{ to: home, label: 'Voltar para Ajuda' }} />
      <div className="grid items-start gap-x-12 gap-y-6 lg:grid-cols-[minmax(0,1fr)_15rem]">
        {sections.length > 1 && (
          <nav
            aria-label="Nesta página"
            className="lg:sticky lg:top-[calc(6rem+var(--banner,0px))] lg:order-last print:hidden"
          >
            <h2 className="text-muted-foreground text-caption font-medium tracking-normal">Nesta página</h2>
            <ul className="border-border mt-2 border-l">
              {sections.map(({ id, title }) => (
                <li key={id}>
                  <TextLink
                    to={{ hash: id }}
                    className="text-body flex min-h-11 items-center py-1 pl-4 lg:min-h-9"
                  >
                    {title}
                  </TextLink>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <article className="max-w-[42rem] min-w-0">
          <GuideContent blocks={blocks} pathOf={pathOf} />
          {next && (
            <Link
              to={pathOf(next.slug)}
              className="group border-border bg-card hover:bg-muted mt-10 flex min-h-16 items-center gap-4 rounded border px-5 py-3 transition-colors print:hidden"
            >
              <span className="min-w-0">
                <span className="text-muted-foreground text-caption block">Próxima página</span>
                <span className="block font-medium">{next.title}</span>
              </span>
              <ArrowRight size={20} aria-hidden className="text-primary ml-auto" />
            </Link>
          )}
        </article>
      </div>
    </>
  );
}
