// Conversion between template HTML and editor HTML, and detection of markup that the editor drops.
import { getHTMLFromFragment, getSchema } from '@tiptap/core';
import { DOMParser as ContentParser } from '@tiptap/pm/model';

import { extensions, IMPLICIT_ATTR, ORIGINAL_STYLE_ATTR } from './schema';

const schema = getSchema(extensions);

const parse = (html: string) => new DOMParser().parseFromString(html, 'text/html');

/** Empty paragraphs contain a `<br>`, because e-mail clients render an empty `<p>` without height. */
export function toEditorHtml(html: string): string {
  const { body } = parse(html);
  for (const paragraph of body.querySelectorAll('p')) {
    if (paragraph.textContent === '' && paragraph.innerHTML === '<br>') paragraph.replaceChildren();
  }
  return body.innerHTML;
}

/** HTML to save, without the editor's marker attributes and without implicit paragraphs. */
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

/** Whether the content needs no `<p>`: it is in a container, without attributes and without an adjacent paragraph. */
function canStandWithoutParagraph(paragraph: Element): boolean {
  return (
    paragraph.parentElement?.matches('li, td, th, div, center, blockquote') === true &&
    paragraph.attributes.length === 0 &&
    paragraph.previousElementSibling?.tagName !== 'P' &&
    paragraph.nextElementSibling?.tagName !== 'P'
  );
}

/** Markup and text that the visual editor would drop, empty if it keeps everything. */
export function findDroppedMarkup(html: string): string[] {
  if (html.trim() === '') return [];
  const content = ContentParser.fromSchema(schema).parse(parse(toEditorHtml(html)).body);
  const [typed, kept] = [parse(html), parse(fromEditorHtml(getHTMLFromFragment(content.content, schema)))];
  const keptCounts = countMarkup(kept);
  const dropped = /<!doctype|<html[\s>]|<body[\s>]/i.test(html)
    ? ['o documento HTML em volta do conteúdo']
    : [];
  for (const [markup, count] of countMarkup(typed)) {
    if (count > (keptCounts.get(markup) ?? 0)) dropped.push(markup);
  }
  if (textOf(typed) !== textOf(kept)) dropped.push('parte do texto');
  return dropped;
}

/** Tags with the same meaning. */
const SYNONYMS: Record<string, string> = { b: 'strong', i: 'em', strike: 's', del: 's', font: 'span' };
/** Tags without effect on the text, which the editor writes in its own form. */
const IGNORED_TAGS = new Set(['html', 'head', 'body', 'span']);

function countMarkup(document: Document): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (markup: string) => counts.set(markup, (counts.get(markup) ?? 0) + 1);
  for (const element of document.querySelectorAll('*')) {
    const tag = element.tagName.toLowerCase();
    if (!IGNORED_TAGS.has(tag)) count(`<${SYNONYMS[tag] ?? tag}>`);
    for (const { name } of element.attributes) {
      // The editor may merge the styles of nested spans.
      if (tag !== 'font' && !(tag === 'span' && name === 'style') && name !== IMPLICIT_ATTR) {
        count(`${name} em <${SYNONYMS[tag] ?? tag}>`);
      }
    }
  }
  const comments = document.createTreeWalker(document, NodeFilter.SHOW_COMMENT);
  while (comments.nextNode()) count('comentários');
  return counts;
}

/** Text content without white space. */
function textOf({ body }: Document): string {
  const copy = body.cloneNode(true);
  if (copy instanceof Element) for (const hidden of copy.querySelectorAll('style, script')) hidden.remove();
  return (copy.textContent ?? '').replaceAll(/\s+/g, '');
}
