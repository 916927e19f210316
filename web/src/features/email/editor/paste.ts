// Sanitization of pasted HTML, mostly from Word. Text, headings, lists, tables, links and colors stay; markup specific
// to Word is removed.
import { isOversizedImage, MAX_IMAGE_BYTES } from '~/features/email/template-variables';
import { formatSize } from '~/lib/format';
import { toast } from '~/lib/toast';

import { parseDeclarations } from './inline-style';

const KEPT_STYLES =
  /^(?:color|background-color|background|text-align|font-weight|font-style|text-decoration)\s*:/i;
const KEPT_ATTRIBUTES = new Set([
  'style',
  'href',
  'src',
  'alt',
  'width',
  'height',
  'colspan',
  'rowspan',
  'start',
]);

export function sanitizePastedHtml(html: string): string {
  // Content copied from the editor itself needs only the image check.
  if (html.includes('data-pm-slice')) return removeOversizedImages(html);
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const foreign of body.querySelectorAll('style, script, meta, link, title, xml, o\\:p'))
    foreign.remove();
  const comments = document.createTreeWalker(body, NodeFilter.SHOW_COMMENT);
  const found: globalThis.Node[] = [];
  while (comments.nextNode()) found.push(comments.currentNode);
  for (const comment of found) comment.parentNode?.removeChild(comment);
  makeLists(body);
  for (const element of body.querySelectorAll('*')) clean(element);
  // E-mails and web pages often use a `<div>` per line. The editor uses a paragraph per line.
  for (const division of body.querySelectorAll('div')) {
    if (division.querySelector('p, div, table, ul, ol, h1, h2, h3, h4, blockquote') === null) {
      rename(division, 'p');
    } else division.replaceWith(...division.childNodes);
  }
  return removeOversizedImages(body.innerHTML);
}

function clean(element: Element): void {
  const style = parseDeclarations(element.getAttribute('style')).filter(
    (declaration) =>
      KEPT_STYLES.test(declaration) && !/windowtext|initial|inherit|transparent/i.test(declaration),
  );
  for (const name of element.getAttributeNames()) {
    if (!KEPT_ATTRIBUTES.has(name)) element.removeAttribute(name);
  }
  if (style.length > 0) element.setAttribute('style', style.join('; '));
  else element.removeAttribute('style');
}

/** Word writes list items as paragraphs with the marker as text. Converts them to lists. */
function makeLists(body: HTMLElement): void {
  let list: Element | null = null;
  for (const paragraph of body.querySelectorAll('p[style*="mso-list"]')) {
    const mark = paragraph.querySelector('[style*="mso-list"]');
    const tag = /^\s*(?:\d+|[a-z]+)[.)]/i.test(mark?.textContent ?? '') ? 'ol' : 'ul';
    mark?.remove();
    if (list === null || paragraph.previousElementSibling !== list || list.localName !== tag) {
      list = document.createElement(tag);
      paragraph.before(list);
    }
    const item = document.createElement('li');
    item.append(...paragraph.childNodes);
    list.append(item);
    paragraph.remove();
  }
}

function rename(element: Element, tag: string): void {
  const renamed = document.createElement(tag);
  for (const { name, value } of element.attributes) renamed.setAttribute(name, value);
  renamed.append(...element.childNodes);
  element.replaceWith(renamed);
}

/** Removes images that are too large or that reference local files, with a toast. */
function removeOversizedImages(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const picture of body.querySelectorAll('img')) {
    const address = picture.getAttribute('src') ?? '';
    const fault = imageError(address);
    if (fault !== null) {
      rejectImage(fault);
      picture.remove();
    }
  }
  return body.innerHTML;
}

function imageError(address: string): string | null {
  if (/^https?:/i.test(address)) return null;
  if (!/^data:image\//i.test(address)) return 'Ela está no seu computador: insira-a pelo botão Imagem.';
  return isOversizedImage(address) ? sizeError(Math.floor(address.length * 0.75)) : null;
}

function sizeError(bytes: number): string {
  return `Ela tem ${formatSize(bytes)}, e o limite é ${formatSize(MAX_IMAGE_BYTES)}. Reduza a imagem ou use o endereço de uma já publicada.`;
}

function rejectImage(reason: string): void {
  toast({ title: 'Imagem recusada', description: reason, variant: 'error' });
}

/** Image as a data URL. Returns null, after a toast, for an unsupported type or size. */
export async function fileToDataUrl(file: File): Promise<string | null> {
  if (!/^image\/(?:png|jpeg|gif|webp)$/.test(file.type)) {
    rejectImage('São aceitas imagens PNG, JPG, GIF e WebP.');
    return null;
  }
  if (file.size > MAX_IMAGE_BYTES) {
    rejectImage(sizeError(file.size));
    return null;
  }
  return new Promise((done) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => done(typeof reader.result === 'string' ? reader.result : null));
    reader.addEventListener('error', () => {
      rejectImage('O arquivo não pôde ser lido.');
      done(null);
    });
    reader.readAsDataURL(file);
  });
}
