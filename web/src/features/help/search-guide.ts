// Search in the titles of the guide.
import { matchesSearch } from '~/lib/text-search';

import type { GuideGroup } from './guide';

/** The pages with a matching title or summary, or with matching sections, of which only those are kept. */
export function searchGuide(groups: readonly GuideGroup[], search: string): GuideGroup[] {
  if (search.trim() === '') return groups.map((group) => withSections(group, () => []));
  return groups
    .map((group) => ({
      ...withSections(group, (page) => page.sections.filter(({ title }) => matchesSearch(title, search))),
    }))
    .map((group) => ({
      ...group,
      pages: group.pages.filter(
        ({ title, summary, sections }) => matchesSearch(`${title} ${summary}`, search) || sections.length > 0,
      ),
    }))
    .filter(({ pages }) => pages.length > 0);
}

type Page = GuideGroup['pages'][number];

function withSections(group: GuideGroup, select: (page: Page) => Page['sections']): GuideGroup {
  return { ...group, pages: group.pages.map((page) => ({ ...page, sections: select(page) })) };
}
