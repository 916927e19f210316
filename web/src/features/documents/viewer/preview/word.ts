// Reader of texts of word processors (docx).
import { zipSync } from 'fflate';
import mammoth from 'mammoth';

import { unpack } from './unpack';

/** Maximum length of the page, with its pictures. */
const MAX_HTML_LENGTH = 30_000_000;
// Embedded objects and fonts are not shown.
const isShown = (name: string) =>
  /\.(?:xml|rels)$/.test(name) || /^word\/media\/.*\.(?:png|jpe?g|gif)$/i.test(name);

// The policy of the app allows style attributes, and no style sheets of others.
const BODY = `margin:0 auto;max-width:46rem;padding:1.5rem clamp(1rem,4vw,2.5rem);font:16px/1.6 'Inter Variable',system-ui,sans-serif;overflow-wrap:break-word`;
const TAGS: Record<string, string> = {
  p: 'margin:.6em 0',
  table: 'border-collapse:collapse;margin:1rem 0;width:100%',
  td: 'border:1px solid #d9dcdf;padding:.35rem .6rem;vertical-align:top',
  th: 'border:1px solid #d9dcdf;padding:.35rem .6rem;vertical-align:top;text-align:left',
  img: 'max-width:100%;height:auto',
};

/**
 * Converts a document to a page for a sandboxed frame. The library reads an archive that is packed again, because it does
 * not limit what it unpacks itself.
 *
 * @throws {PreviewRefusedError}
 */
export async function readWordDocument(archive: Uint8Array): Promise<string> {
  const { buffer } = zipSync(unpack(archive, isShown), { level: 0 });
  const { value } = await mammoth.convertToHtml({ arrayBuffer: buffer }, { externalFileAccess: false });
  return wrapPage(value.slice(0, MAX_HTML_LENGTH));
}

/** The library escapes texts and attributes, so a tag in its result is one of its own. */
export function wrapPage(content: string): string {
  const styled = content
    // A link would leave the frame, so it is a text that shows its address.
    .replaceAll('<a href=', '<a title=')
    .replaceAll(/<(p|table|td|th|img)(?=[ />])/g, (tag, name: string) => `${tag} style="${TAGS[name]}"`);
  return `<!doctype html><html lang="pt-BR" style="color-scheme:light;background:#fff;color:#1b1f23"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src-attr 'unsafe-inline'"><title>Documento</title></head><body style="${BODY}">${styled}</body></html>`;
}
