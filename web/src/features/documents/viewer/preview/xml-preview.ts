// Previews of XML: electronic invoices as a sheet, other files as indented text.
import { decodeText } from '~/lib/decode-text';

import { readInvoice } from './invoice';
import { type Preview, PreviewRefusedError } from './preview';
import { parseXmlTree, type XmlElement } from './xml';

const MAX_TEXT = 200_000;

/** A file that is not well-formed, or has too many elements, is shown as it is. */
export function readXmlPreview(bytes: ArrayBuffer): Preview {
  const source = decodeText(bytes).replace(/^\uFEFF/, '');
  try {
    const root = parseXmlTree(source);
    const invoice = readInvoice(root);
    return invoice ? { kind: 'invoice', invoice } : cut(indent(root, ''));
  } catch (error) {
    if (!(error instanceof PreviewRefusedError)) throw error;
    return cut(source);
  }
}

function cut(text: string): Preview {
  return { kind: 'text', text: text.slice(0, MAX_TEXT), isCut: text.length > MAX_TEXT };
}

export function indent({ name, attributes, children, text }: XmlElement, margin: string): string {
  const tag = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${value}"`)].join(' ');
  const content = text.trim();
  if (children.length === 0) {
    return content === '' ? `${margin}<${tag}/>` : `${margin}<${tag}>${content}</${name}>`;
  }
  const lines = children.map((child) => indent(child, `${margin}  `));
  if (content !== '') lines.unshift(`${margin}  ${content}`);
  return [`${margin}<${tag}>`, ...lines, `${margin}</${name}>`].join('\n');
}
