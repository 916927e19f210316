// The user guide: pages of `docs/guia`, which `scripts/guide.ts` renders when the app is built.

/** Text with marks. A link leads to an address, or to a page of the guide. */
export type GuideText =
  | string
  | { kind: 'strong' | 'em' | 'code'; content: GuideText[] }
  | { kind: 'link'; href: string; content: GuideText[] }
  | { kind: 'page'; slug: string; section: string | null; content: GuideText[] };

export type GuideBlock =
  | { kind: 'heading'; id: string; content: GuideText[] }
  | { kind: 'paragraph'; content: GuideText[] }
  | { kind: 'picture'; src: string; alt: string; width: number; height: number }
  | { kind: 'list'; ordered: boolean; items: GuideBlock[][] }
  | { kind: 'table'; head: GuideText[][]; rows: GuideText[][][] };

export type GuideSection = { id: string; title: string };

export type GuidePage = {
  slug: string;
  title: string;
  summary: string;
  load: () => Promise<{ default: GuideBlock[] }>;
};

export type GuideGroup = { title: string; pages: GuidePage[] };

/** A section that matches a search, with the words around the match, or null if only its title matches. */
type FoundSection = GuideSection & { excerpt: string | null };
export type FoundPage = GuidePage & { sections: FoundSection[] };
export type FoundGroup = { title: string; pages: FoundPage[] };
/** Finds the pages of a guide. */
export type GuideSearch = (search: string) => FoundGroup[];

/** The page of a slug and the one that follows it. */
export function findPage(groups: readonly GuideGroup[], slug: string) {
  const pages = groups.flatMap((group) => group.pages);
  const at = pages.findIndex((page) => page.slug === slug);
  return { page: pages[at], next: at === -1 ? undefined : pages[at + 1] };
}

/** The sections of a page, for its table of contents. */
export function sectionsOf(blocks: readonly GuideBlock[]): GuideSection[] {
  return blocks.flatMap((block) =>
    block.kind === 'heading' ? [{ id: block.id, title: plainText(block.content) }] : [],
  );
}

/** The text without its marks. */
export function plainText(content: readonly GuideText[]): string {
  return content.map((part) => (typeof part === 'string' ? part : plainText(part.content))).join('');
}
