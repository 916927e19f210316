// Search in the guide.
import { foldAccents } from '~/lib/text-search';

import {
  type FoundGroup,
  type FoundPage,
  type GuideBlock,
  type GuideGroup,
  type GuidePage,
  type GuideSearch,
  type GuideSection,
  plainText,
} from './guide';

/** The text of a page before its first section, and its sections with theirs. */
type PageTexts = { introduction: string; sections: (GuideSection & { text: string })[] };
/** The texts of the pages by slug. */
type GuideTexts = ReadonlyMap<string, PageTexts>;

/** Number of characters of an excerpt on each side of the match. */
const EXCERPT_RADIUS = 60;

/** Loads the content of all pages, and returns the search in it. */
export async function loadSearch(groups: readonly GuideGroup[]): Promise<GuideSearch> {
  const pages = groups.flatMap((group) => group.pages);
  const texts = new Map(
    await Promise.all(pages.map(async ({ slug, load }) => [slug, textsOf((await load()).default)] as const)),
  );
  return (search) => searchGuide(groups, texts, search);
}

/**
 * The pages with all words of the search in their title and summary, or in one of their sections. Pages that match by
 * their title come first.
 */
function searchGuide(groups: readonly GuideGroup[], texts: GuideTexts, search: string): FoundGroup[] {
  const words = foldAccents(search).split(/\s+/).filter(Boolean);
  const matches = (text: string) => {
    const folded = foldAccents(text);
    return words.every((word) => folded.includes(word));
  };
  const find = (page: GuidePage): FoundPage[] => {
    const content = texts.get(page.slug);
    const sections = (content?.sections ?? []).flatMap(({ id, title, text }) => {
      if (matches(title)) return [{ id, title, excerpt: null }];
      return matches(`${title} ${text}`) ? [{ id, title, excerpt: excerptOf(text, words) }] : [];
    });
    const isFound =
      sections.length > 0 || matches(`${page.title} ${page.summary} ${content?.introduction ?? ''}`);
    return isFound ? [{ ...page, sections }] : [];
  };
  return groups
    .map(({ title, pages }) => ({
      title,
      pages: pages.flatMap(find).toSorted((a, b) => Number(matches(b.title)) - Number(matches(a.title))),
    }))
    .filter(({ pages }) => pages.length > 0);
}

function textsOf(blocks: readonly GuideBlock[]): PageTexts {
  const texts: PageTexts = { introduction: '', sections: [] };
  for (const block of blocks) {
    const section = texts.sections.at(-1);
    if (block.kind === 'heading') {
      texts.sections.push({ id: block.id, title: plainText(block.content), text: '' });
    } else if (section) section.text = `${section.text} ${blockText(block)}`.trim();
    else texts.introduction = `${texts.introduction} ${blockText(block)}`.trim();
  }
  return texts;
}

function blockText(block: GuideBlock): string {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return plainText(block.content);
    case 'picture':
      return block.alt;
    case 'list':
      return block.items.map((item) => item.map(blockText).join(' ')).join(' ');
    case 'table':
      return block.rows.map((row) => row.map(plainText).join(': ')).join('; ');
  }
}

/** The words around the first match of a word, or null if the text contains none. */
function excerptOf(text: string, words: readonly string[]): string | null {
  // Folding keeps the number of characters of composed text.
  const folded = foldAccents(text);
  const at = Math.min(...words.map((word) => folded.indexOf(word)).filter((index) => index !== -1));
  if (!Number.isFinite(at)) return null;
  const start = at <= EXCERPT_RADIUS ? 0 : text.indexOf(' ', at - EXCERPT_RADIUS) + 1;
  const end = text.length - at <= EXCERPT_RADIUS ? text.length : text.lastIndexOf(' ', at + EXCERPT_RADIUS);
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}
