// HTML schema of the visual editor. Tables, `<div>` elements and layout attributes stay, because e-mail clients depend
// on them. All styles are inline.
import { Extension, Mark, Node } from '@tiptap/core';
import { StarterKit } from '@tiptap/starter-kit';

import { parseDeclarations, removeProperties } from './inline-style';

/** Attributes preserved on blocks and images. E-mails have no stylesheet, so `class` is not preserved. */
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

/** Marks an implicit paragraph, which has no `<p>` in the source. `html.ts` removes the marker. */
export const IMPLICIT_ATTR = 'data-implied';

/**
 * Original `style` value, which `html.ts` restores. The browser normalizes styles to a syntax that older e-mail clients
 * do not support, and drops unknown properties.
 */
export const ORIGINAL_STYLE_ATTR = 'data-style';

/** Attribute definition that keeps the value unchanged. */
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
    { types: ['division', 'tableSection', 'tableCell'], attributes: { tag: sourceTag } },
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

/** Attribute for nodes that cover several tags. It records the original tag. */
const sourceTag = {
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

/** Inline image, so that it can be inside a link. Videos are linked images. */
const Image = Node.create({
  name: 'image',
  group: 'inline',
  inline: true,
  draggable: true,
  parseHTML: () => [{ tag: 'img[src]' }],
  renderHTML: ({ HTMLAttributes }) => ['img', HTMLAttributes],
});

/** Color, size and font of text. */
const Styled = Mark.create({
  name: 'styled',
  parseHTML: () => [
    { tag: 'span[style]', getAttrs: (element) => (styleOfSpan(element) === null ? false : null) },
    { tag: 'font' },
  ],
  renderHTML: ({ HTMLAttributes }) => ['span', HTMLAttributes, 0],
});

/**
 * Style of a span without the properties that bold, italic, underline and strike cover, merged with the enclosing span.
 */
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
    removeProperties(element.getAttribute('style'), MARK_PROPERTIES),
  ].filter((part) => typeof part === 'string');
  const style = [...parseDeclarations(outer), ...own.flatMap(parseDeclarations)].join('; ');
  return style === '' ? null : style;
}

const MARK_PROPERTIES = ['font-weight', 'font-style', 'text-decoration', 'text-decoration-line'];
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
    // TipTap's trailing node would add an empty paragraph to the content.
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
