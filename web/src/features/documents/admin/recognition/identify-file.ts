// Search of a file for the clients that it names.
import { type Client, findClientsByTaxId } from '~/features/clients/api/clients';
import { decodeText } from '~/lib/decode-text';
import { getExtension } from '~/lib/files/file-name';
import { extractTaxIds, type TaxId } from '~/lib/tax-id';

/** The CPFs and CNPJs that a file names, and the clients who have them. */
export type FileIdentity = {
  /** False for a picture, a scanned page, and a protected or damaged file: only the name was searched. */
  readable: boolean;
  inName: readonly TaxId[];
  inText: readonly TaxId[];
  owners: readonly Client[];
};

const TEXT_FORMATS = new Set(['txt', 'csv', 'xml', 'htm', 'html']);

/** Searches the name and the text of a file. Throws if the PDF reader or the clients cannot be loaded. */
export async function identifyFile(file: File): Promise<FileIdentity> {
  const text = await readText(file);
  const inName = extractTaxIds(file.name);
  const inText = extractTaxIds(text);
  const owners = await findClientsByTaxId([...new Set([...inName, ...inText])]);
  return { readable: text.trim() !== '', inName, inText, owners };
}

async function readText(file: File): Promise<string> {
  const format = getExtension(file.name);
  if (TEXT_FORMATS.has(format)) return decodeText(await file.arrayBuffer());
  if (format !== 'pdf') return '';
  const { textOfPdf } = await import('~/features/documents/viewer/pdf');
  // A protected or damaged file has no text.
  return textOfPdf(file).catch(() => '');
}
