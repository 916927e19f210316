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
  sections: GuideSection[];
  load: () => Promise<{ default: GuideBlock[] }>;
};

export type GuideGroup = { title: string; pages: GuidePage[] };

/** The page of a slug and the one that follows it. */
export function findPage(groups: readonly GuideGroup[], slug: string) {
  const pages = groups.flatMap((group) => group.pages);
  const at = pages.findIndex((page) => page.slug === slug);
  return { page: pages[at], next: at === -1 ? undefined : pages[at + 1] };
}
