// What the visual editor knows of HTML: what people write, and what mails are made of. Tables, divisions and what is
// said by attributes are kept as they are, for mail programs still lay out by them; all looks are inline styles.
import { Extension, Mark, Node } from '@tiptap/core';
import { StarterKit } from '@tiptap/starter-kit';

import { parseDeclarations, removeProperties } from './inline-style';

/** Attributes that any block or picture may carry. A mail has no stylesheet, so there is no `class` among them. */
const PRESERVED_ATTRIBUTES = [
  'style',
  'align',
  'valign',
  'width',
  'height',
  'bgcolor',
  'border',
  'cellpadding',
  'cellspacing',
  'dir',
  'lang',
  'role',
];
const BLOCKS = [
  'paragraph',
  'heading',
  'blockquote',
  'bulletList',
  'orderedList',
  'listItem',
  'horizontalRule',
  'codeBlock',
  'division',
  'table',
  'tableSection',
  'tableRow',
  'tableCell',
  'image',
];

/** Stands on a paragraph that no `<p>` was written for, until `editor-html.ts` takes it off again. */
export const IMPLICIT_ATTR = 'data-implied';

/**
 * The style as it was written, until `editor-html.ts` puts it back: the browser writes it anew in words that older
 * mail programs do not know, and leaves out what it does not know itself.
 */
export const ORIGINAL_STYLE_ATTR = 'data-style';

/** An attribute that is told as it was read. */
const preserveAttribute = (name: string) => ({
  [name]: {
    default: null,
    parseHTML: (element: HTMLElement) => element.getAttribute(name),
    renderHTML: (attributes: Record<string, unknown>) => renderAttribute(name, attributes[name]),
  },
});

function renderAttribute(name: string, value: unknown): Record<string, string> {
  if (typeof value !== 'string') return {};
  return name === 'style' ? { style: value, [ORIGINAL_STYLE_ATTR]: value } : { [name]: value };
}

const PreserveAttributes = Extension.create({
  name: 'kept',
  addGlobalAttributes: () => [
    { types: BLOCKS, attributes: Object.assign({}, ...PRESERVED_ATTRIBUTES.map(preserveAttribute)) },
    { types: ['link'], attributes: preserveAttribute('style') },
    {
      types: ['tableCell'],
      attributes: { ...preserveAttribute('colspan'), ...preserveAttribute('rowspan') },
    },
    { types: ['image'], attributes: Object.assign({}, ...['src', 'alt', 'title'].map(preserveAttribute)) },
    {
      types: ['styled'],
      attributes: {
        style: {
          default: null,
          parseHTML: styleOfSpan,
          renderHTML: ({ style }) => renderAttribute('style', style),
        },
      },
    },
    { types: ['division', 'tableSection', 'tableCell'], attributes: { tag: tagKept } },
    {
      types: ['paragraph'],
      attributes: {
        isImplied: {
          default: true,
          keepOnSplit: false,
          parseHTML: (element) => element.hasAttribute(IMPLICIT_ATTR),
          renderHTML: ({ isImplied }) => (isImplied === true ? { [IMPLICIT_ATTR]: '' } : {}),
        },
      },
    },
  ],
});

/** One node stands for several tags, and remembers which. */
const tagKept = {
  default: null,
  parseHTML: (element: HTMLElement) => element.tagName.toLowerCase(),
  renderHTML: () => ({}),
};

const tagOf = (attributes: Record<string, unknown>, otherwise: string): string =>
  typeof attributes['tag'] === 'string' ? attributes['tag'] : otherwise;

const Table = Node.create({
  name: 'table',
  group: 'block',
  content: 'tableSection+',
  isolating: true,
  parseHTML: () => [{ tag: 'table' }],
  renderHTML: ({ HTMLAttributes }) => ['table', HTMLAttributes, 0],
});

const TableSection = Node.create({
  name: 'tableSection',
  content: 'tableRow+',
  parseHTML: () => ['tbody', 'thead', 'tfoot'].map((tag) => ({ tag })),
  renderHTML: ({ node, HTMLAttributes }) => [tagOf(node.attrs, 'tbody'), HTMLAttributes, 0],
});

const TableRow = Node.create({
  name: 'tableRow',
  content: 'tableCell+',
  parseHTML: () => [{ tag: 'tr' }],
  renderHTML: ({ HTMLAttributes }) => ['tr', HTMLAttributes, 0],
});

const TableCell = Node.create({
  name: 'tableCell',
  content: 'block+',
  isolating: true,
  parseHTML: () => ['td', 'th'].map((tag) => ({ tag })),
  renderHTML: ({ node, HTMLAttributes }) => [tagOf(node.attrs, 'td'), HTMLAttributes, 0],
});

const Div = Node.create({
  name: 'division',
  group: 'block',
  content: 'block+',
  parseHTML: () => ['div', 'center'].map((tag) => ({ tag })),
  renderHTML: ({ node, HTMLAttributes }) => [tagOf(node.attrs, 'div'), HTMLAttributes, 0],
});

/** A picture in the line, so that it can be a link like any other words: a video is a linked picture. */
const Image = Node.create({
  name: 'image',
  group: 'inline',
  inline: true,
  draggable: true,
  parseHTML: () => [{ tag: 'img[src]' }],
  renderHTML: ({ HTMLAttributes }) => ['img', HTMLAttributes],
});

/** Colours, sizes and typefaces of words. */
const Styled = Mark.create({
  name: 'styled',
  parseHTML: () => [
    { tag: 'span[style]', getAttrs: (element) => (styleOfSpan(element) === null ? false : null) },
    { tag: 'font' },
  ],
  renderHTML: ({ HTMLAttributes }) => ['span', HTMLAttributes, 0],
});

/** What bold, italic, underline and strike say is theirs; spans within spans are one. */
function styleOfSpan(element: HTMLElement): string | null {
  const outer =
    element.parentElement?.matches('span[style], font') === true ? styleOfSpan(element.parentElement) : null;
  const { color, face, size } = {
    color: element.getAttribute('color'),
    face: element.getAttribute('face'),
    size: FONT_SIZES[element.getAttribute('size') ?? ''],
  };
  const own = [
    element.matches('font') && color !== null && `color: ${color}`,
    element.matches('font') && face !== null && `font-family: ${face}`,
    element.matches('font') && size !== undefined && `font-size: ${size}`,
    removeProperties(element.getAttribute('style'), SAID_BY_MARKS),
  ].filter((part) => typeof part === 'string');
  const style = [...parseDeclarations(outer), ...own.flatMap(parseDeclarations)].join('; ');
  return style === '' ? null : style;
}

const SAID_BY_MARKS = ['font-weight', 'font-style', 'text-decoration', 'text-decoration-line'];
const FONT_SIZES: Record<string, string> = {
  '1': '10px',
  '2': '13px',
  '3': '16px',
  '4': '18px',
  '5': '24px',
  '6': '32px',
  '7': '48px',
};

export const extensions = [
  StarterKit.configure({
    heading: { levels: [1, 2, 3, 4, 5, 6] },
    link: {
      openOnClick: false,
      autolink: false,
      defaultProtocol: 'https',
      HTMLAttributes: { target: null, rel: null, class: null },
    },
    // It would add an empty paragraph to what was written.
    trailingNode: false,
  }),
  PreserveAttributes,
  Table,
  TableSection,
  TableRow,
  TableCell,
  Div,
  Image,
  Styled,
];
