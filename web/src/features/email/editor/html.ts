// Between the HTML of a template and the visual editor: into it, out of it, and what would be lost on the way.
import { getHTMLFromFragment, getSchema } from '@tiptap/core';
import { DOMParser as ContentParser } from '@tiptap/pm/model';

import { extensions, IMPLICIT_ATTR, ORIGINAL_STYLE_ATTR } from './schema';

const schema = getSchema(extensions);

const parse = (html: string) => new DOMParser().parseFromString(html, 'text/html');

/** An empty line is written as `<p><br></p>`, for mail programs give an empty paragraph no height. */
export function toEditorHtml(html: string): string {
  const { body } = parse(html);
  for (const paragraph of body.querySelectorAll('p')) {
    if (paragraph.textContent === '' && paragraph.innerHTML === '<br>') paragraph.replaceChildren();
  }
  return body.innerHTML;
}

/** The HTML to save: without marks of the editor's own, and without paragraphs that nobody wrote. */
export function fromEditorHtml(html: string): string {
  const { body } = parse(html);
  for (const element of body.querySelectorAll(`[${ORIGINAL_STYLE_ATTR}]`)) {
    element.setAttribute('style', element.getAttribute(ORIGINAL_STYLE_ATTR) ?? '');
    element.removeAttribute(ORIGINAL_STYLE_ATTR);
  }
  for (const paragraph of body.querySelectorAll('p')) {
    const isImplied = paragraph.hasAttribute(IMPLICIT_ATTR);
    paragraph.removeAttribute(IMPLICIT_ATTR);
    if (isImplied && canStandWithoutParagraph(paragraph)) paragraph.replaceWith(...paragraph.childNodes);
    else if (paragraph.childNodes.length === 0) paragraph.append(document.createElement('br'));
  }
  return body.innerHTML === '<p><br></p>' ? '' : body.innerHTML;
}

/** Whether words can stand without a paragraph of their own: within something, and beside no other paragraph. */
function canStandWithoutParagraph(paragraph: Element): boolean {
  return (
    paragraph.parentElement?.matches('li, td, th, div, center, blockquote') === true &&
    paragraph.attributes.length === 0 &&
    paragraph.previousElementSibling?.tagName !== 'P' &&
    paragraph.nextElementSibling?.tagName !== 'P'
  );
}

/** What the visual editor cannot keep of a text, in words; nothing, when it keeps it all. */
export function findDroppedMarkup(html: string): string[] {
  if (html.trim() === '') return [];
  const content = ContentParser.fromSchema(schema).parse(parse(toEditorHtml(html)).body);
  const [typed, kept] = [parse(html), parse(fromEditorHtml(getHTMLFromFragment(content.content, schema)))];
  const keptCounts = countsOf(kept);
  const dropped = /<!doctype|<html[\s>]|<body[\s>]/i.test(html)
    ? ['o documento HTML em volta do conteúdo']
    : [];
  for (const [what, count] of countsOf(typed)) {
    if (count > (keptCounts.get(what) ?? 0)) dropped.push(what);
  }
  if (textOf(typed) !== textOf(kept)) dropped.push('parte do texto');
  return dropped;
}

/** Tags that say the same. */
const SYNONYMS: Record<string, string> = { b: 'strong', i: 'em', strike: 's', del: 's', font: 'span' };
/** What words alone do not need: the editor says it in its own way. */
const UNCOUNTED = new Set(['html', 'head', 'body', 'span']);

function countsOf(document: Document): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  for (const element of document.querySelectorAll('*')) {
    const tag = element.tagName.toLowerCase();
    if (!UNCOUNTED.has(tag)) count(`<${SYNONYMS[tag] ?? tag}>`);
    for (const { name } of element.attributes) {
      // A span's own style may come to lie on one that was around it.
      if (tag !== 'font' && !(tag === 'span' && name === 'style') && name !== IMPLICIT_ATTR) {
        count(`${name} em <${SYNONYMS[tag] ?? tag}>`);
      }
    }
  }
  const comments = document.createTreeWalker(document, NodeFilter.SHOW_COMMENT);
  while (comments.nextNode()) count('comentários');
  return counts;
}

/** All that can be read, but for the spaces between. */
function textOf({ body }: Document): string {
  const copy = body.cloneNode(true);
  if (copy instanceof Element) for (const hidden of copy.querySelectorAll('style, script')) hidden.remove();
  return (copy.textContent ?? '').replaceAll(/\s+/g, '');
}
