// Renders the user guide (`docs/guia`) when the app is built, so that no Markdown parser is shipped. README.md lists the
// pages by audience. Each page becomes a module with its content as data; the app renders them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { lexer, type Token, type Tokens } from 'marked';
import type { Plugin } from 'vite';

import { type GuideBlock, type GuideText, plainText } from '../src/features/help/guide.ts';
import { uniqueSlug } from '../src/lib/slug.ts';

const GUIDE_FOLDER = path.join(import.meta.dirname, '..', '..', 'docs', 'guia');
const CONTENTS = 'README.md';
/** The groups of the contents that each module of the guide holds. */
const AUDIENCES: Record<string, readonly string[]> = {
  'virtual:guide/clients': ['Para clientes'],
  'virtual:guide/staff': ['Para a equipe', 'Para clientes'],
};

type Entry = { slug: string; title: string; summary: string };
type Group = { title: string; pages: Entry[] };
/** Throws if no page has this slug, and returns the path of a picture. */
type Links = { checkPage: (slug: string) => void; addPicture: (href: string) => Picture };
type Picture = { src: string; width: number; height: number };

/** Serves the modules of the guide and those of its pages. An error in the guide fails the build. */
export function guide(): Plugin {
  return {
    name: 'guide',
    enforce: 'pre',
    resolveId: (id) => (id in AUDIENCES ? `\0${id}` : null),
    load(id) {
      const titles = AUDIENCES[id.replace('\0', '')];
      if (!id.startsWith('\0') || !titles) return null;
      for (const name of readdirSync(GUIDE_FOLDER)) this.addWatchFile(path.join(GUIDE_FOLDER, name));
      return indexModule(titles);
    },
    transform(code, id) {
      if (path.dirname(id) !== GUIDE_FOLDER || !id.endsWith('.md')) return null;
      return { code: pageModule(path.basename(id, '.md'), code), map: null };
    },
  };
}

function indexModule(titles: readonly string[]): string {
  const groups = readContents();
  const chosen = titles.map((title) => {
    const group = groups.find((candidate) => candidate.title === title);
    if (!group) throw new Error(`${CONTENTS} has no group ${title}.`);
    const pages = group.pages.map((page) => {
      const file = JSON.stringify(path.join(GUIDE_FOLDER, `${page.slug}.md`));
      return `{ ...${JSON.stringify(page)}, load: () => import(${file}) }`;
    });
    return `{ title: ${JSON.stringify(title)}, pages: [${pages.join()}] }`;
  });
  return `export default [${chosen.join()}];`;
}

function pageModule(slug: string, source: string): string {
  const imports: string[] = [];
  const links = checkedLinks(readContents(), slug);
  const blocks = parsePage(slug, source, {
    ...links,
    addPicture(href) {
      imports.push(href);
      return { ...links.addPicture(href), src: `\0${imports.length - 1}` };
    },
  });
  const data = JSON.stringify(blocks).replaceAll(/"\\u0000(\d+)"/g, 'picture$1');
  return [
    ...imports.map((href, at) => `import picture${at} from ${JSON.stringify(`./${href}?url`)};`),
    `export default ${data};`,
  ].join('\n');
}

/** The groups of the contents. Each page of the folder must be in one of them, under its own title. */
function readContents(): Group[] {
  const groups = parseContents(readFileSync(path.join(GUIDE_FOLDER, CONTENTS), 'utf8'));
  const listed = groups.flatMap(({ pages }) => pages.map(({ slug }) => `${slug}.md`));
  const files = readdirSync(GUIDE_FOLDER).filter((name) => name.endsWith('.md') && name !== CONTENTS);
  const missing = files.filter((name) => !listed.includes(name));
  if (missing.length > 0) throw new Error(`${CONTENTS} of the guide does not list ${missing.join(', ')}.`);
  for (const { slug, title } of groups.flatMap(({ pages }) => pages)) {
    if (!readPage(slug).startsWith(`# ${title}\n`)) {
      throw new Error(`${CONTENTS} of the guide gives ${slug}.md another title: ${title}.`);
    }
  }
  return groups;
}

const readPage = (slug: string) => readFileSync(path.join(GUIDE_FOLDER, `${slug}.md`), 'utf8');

export function parseContents(source: string): Group[] {
  const groups: Group[] = [];
  for (const token of lexer(source)) {
    if (isHeading(token) && token.depth === 2) groups.push({ title: token.text, pages: [] });
    const group = groups.at(-1);
    if (!group || !isList(token)) continue;
    for (const { text } of token.items) {
      const [, title, slug, summary] = /^\[(.+)\]\(([\w-]+)\.md\): (.+)$/.exec(text) ?? [];
      if (!title || !slug || !summary) throw new Error(`${CONTENTS} of the guide: ${text}`);
      group.pages.push({ slug, title, summary });
    }
  }
  return groups;
}

/** Accepts links to pages that each reader of this page can open. */
function checkedLinks(groups: readonly Group[], slug: string): Links {
  const audiences = Object.values(AUDIENCES).filter((titles) =>
    groups.some(({ title, pages }) => titles.includes(title) && pages.some((page) => page.slug === slug)),
  );
  return {
    checkPage(target) {
      const isReachable = audiences.every((titles) =>
        groups.some(
          ({ title, pages }) => titles.includes(title) && pages.some((page) => page.slug === target),
        ),
      );
      if (!isReachable) throw new Error(`${slug}.md leads some of its readers to no page: ${target}.md`);
    },
    addPicture(href) {
      return { src: href, ...pngSize(readFileSync(path.join(GUIDE_FOLDER, href))) };
    },
  };
}

/** The size of a PNG, from its first chunk. */
function pngSize(bytes: Buffer) {
  if (bytes.toString('latin1', 1, 4) !== 'PNG') throw new Error('The pictures of the guide are PNG files.');
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

export function parsePage(slug: string, source: string, links: Links): GuideBlock[] {
  const fail = (what: string): never => {
    throw new Error(`${slug}.md: ${what}`);
  };
  const [head, ...rest] = lexer(source);
  if (!head || !isHeading(head) || head.depth !== 1) return fail('the first line is the title');
  const ids: string[] = [];

  const toText = (tokens: readonly Token[] = []): GuideText[] =>
    tokens.map((token): GuideText => {
      switch (token.type) {
        case 'text':
        case 'escape':
          return token.text;
        case 'codespan':
          return { kind: 'code', content: [token.text] };
        case 'strong':
        case 'em':
          return { kind: token.type, content: toText(token.tokens) };
        case 'link': {
          const content = toText(token.tokens);
          const [, target, section] = /^([\w-]+)\.md(?:#([\w-]+))?$/.exec(token.href) ?? [];
          if (target !== undefined) {
            links.checkPage(target);
            return { kind: 'page', slug: target, section: section ?? null, content };
          }
          return token.href.startsWith('https://')
            ? { kind: 'link', href: token.href, content }
            : fail(`the link ${token.href} leads out of the guide`);
        }
        default:
          return fail(`${token.type} is not supported: ${token.raw}`);
      }
    });

  const toBlock = (token: Token): GuideBlock[] => {
    if (token.type === 'space') return [];
    if (isHeading(token)) {
      const content = toText(token.tokens);
      const id = uniqueSlug(plainText(content), ids, 'secao');
      ids.push(id);
      return token.depth === 2 ? [{ kind: 'heading', id, content }] : fail('sections have two number signs');
    }
    if (isList(token)) {
      const items = token.items.map((item) => item.tokens.flatMap(toBlock));
      return [{ kind: 'list', ordered: token.ordered, items }];
    }
    if (isTable(token)) {
      return [
        {
          kind: 'table',
          head: token.header.map((cell) => toText(cell.tokens)),
          rows: token.rows.map((row) => row.map((cell) => toText(cell.tokens))),
        },
      ];
    }
    if (token.type === 'paragraph' || token.type === 'text') {
      const tokens = 'tokens' in token && token.tokens ? token.tokens : [];
      const [only] = tokens;
      if (tokens.length === 1 && only?.type === 'image') {
        return [{ kind: 'picture', alt: only.text, ...links.addPicture(only.href) }];
      }
      return [{ kind: 'paragraph', content: toText(tokens) }];
    }
    return fail(`${token.type} is not supported: ${token.raw}`);
  };

  return rest.flatMap(toBlock);
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';
const isList = (token: Token): token is Tokens.List => token.type === 'list';
const isTable = (token: Token): token is Tokens.Table => token.type === 'table';
