// Reading of XML, without entities of the document, as events or as a tree.
import { SaxesParser } from 'saxes';

import { PreviewRefusedError } from './preview';

export type XmlElement = {
  /** The name without its prefix. */
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  /** The text directly within. */
  text: string;
};

type Handlers = {
  open?: (name: string, attributes: Record<string, string>) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
};

/** Characters that are parsed at once. A handler that throws ends the parsing. */
const CHUNK_LENGTH = 65_536;
const MAX_ELEMENTS = 50_000;
const MAX_DEPTH = 100;

/**
 * Parses a text. Entities that the document declares are unknown to the parser, so they do not expand.
 *
 * @throws {PreviewRefusedError} if it is not well-formed.
 */
export function parseXml(source: string, { open, text, close }: Handlers): void {
  const parser = new SaxesParser();
  parser.on('error', () => {
    throw new PreviewRefusedError('unreadable');
  });
  parser.on('opentag', ({ name, attributes }) => open?.(localName(name), attributes));
  parser.on('text', (value) => text?.(value));
  parser.on('cdata', (value) => text?.(value));
  parser.on('closetag', ({ name }) => close?.(localName(name)));
  for (let at = 0; at < source.length; at += CHUNK_LENGTH) parser.write(source.slice(at, at + CHUNK_LENGTH));
  parser.close();
}

/**
 * Parses a text into a tree.
 *
 * @throws {PreviewRefusedError} if it is not well-formed or too large.
 */
export function parseXmlTree(source: string): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const path = [root];
  let count = 0;
  parseXml(source, {
    open(name, attributes) {
      count += 1;
      if (count > MAX_ELEMENTS || path.length > MAX_DEPTH) throw new PreviewRefusedError('too-large');
      const element = { name, attributes, children: [], text: '' };
      path.at(-1)?.children.push(element);
      path.push(element);
    },
    text(value) {
      const element = path.at(-1);
      if (element) element.text += value;
    },
    close() {
      path.pop();
    },
  });
  const [first] = root.children;
  if (!first) throw new PreviewRefusedError('unreadable');
  return first;
}

/** The first element below with one of the names, in the order of the names. */
export function findElement(element: XmlElement | undefined, ...names: string[]): XmlElement | undefined {
  if (!element) return undefined;
  for (const name of names) {
    const found = findNamed(element, name);
    if (found) return found;
  }
  return undefined;
}

function findNamed(element: XmlElement, name: string): XmlElement | undefined {
  for (const child of element.children) {
    const found = child.name === name ? child : findNamed(child, name);
    if (found) return found;
  }
  return undefined;
}

/** The text of the first element below with one of the names; empty if there is none. */
export function textOf(element: XmlElement | undefined, ...names: string[]): string {
  return findElement(element, ...names)?.text.trim() ?? '';
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
