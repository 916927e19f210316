// Previews of files that the browser cannot show: spreadsheets, texts of word processors, and XML. A worker reads them.
import { getExtension } from '~/lib/files/file-name';

const PREVIEW_FORMATS = ['xlsx', 'docx', 'xml'] as const;
export type PreviewFormat = (typeof PREVIEW_FORMATS)[number];

export type Sheet = { name: string; rows: string[][]; isCut: boolean };
export type Party = { name: string; taxId: string; place: string };
export type InvoiceItem = { description: string; quantity: string; price: string; total: string };

/** An electronic invoice: NF-e and NFC-e of goods, NFS-e of services. Amounts are formatted. */
export type Invoice = {
  title: string;
  /** Number, date and access key, in the order of display. */
  facts: { term: string; value: string }[];
  issuer: Party;
  recipient: Party | null;
  items: InvoiceItem[];
  totals: { term: string; value: string }[];
  total: string;
  isCut: boolean;
};

export type Preview =
  | { kind: 'sheets'; sheets: Sheet[] }
  | { kind: 'invoice'; invoice: Invoice }
  | { kind: 'text'; text: string; isCut: boolean }
  | { kind: 'page'; html: string };

export type Refusal = 'too-large' | 'too-slow' | 'unreadable';

/** The file has no preview. */
export class PreviewRefusedError extends Error {
  readonly reason: Refusal;

  constructor(reason: Refusal) {
    super(`The file has no preview: ${reason}.`);
    this.reason = reason;
  }
}

/** The format of a file, by its type or by the extension of its path; undefined if it has no preview. */
export function previewFormat(type: string, path: string): PreviewFormat | undefined {
  const names = [type.trim().toLowerCase(), getExtension(path)];
  return PREVIEW_FORMATS.find((format) => names.includes(format));
}
