// The guard against a document that is sent to the wrong client.
import { type Client, findClientsByTaxId } from '~/features/clients/api/clients';
import { getExtension } from '~/lib/files/file-name';
import { formatTaxId, extractTaxIds } from '~/lib/tax-id';

/** The other clients whose CPF or CNPJ a PDF names in its text. Other files, and pictures of text, tell nothing. */
export async function findOtherClientsInPdf(file: File, clientId: string): Promise<Client[]> {
  if (getExtension(file.name) !== 'pdf') return [];
  const { textOfPdf } = await import('~/features/documents/viewer/pdf');
  // Locked or damaged: whoever sends it knows better than we what it holds.
  const text = await textOfPdf(file).catch(() => '');
  const found = await findClientsByTaxId(extractTaxIds(text));
  return found.filter(({ id }) => id !== clientId);
}

/** `o CNPJ 11.222.333/0001-81, de Padaria Aurora`; of several, the first and how many more. */
export function describeMatch(others: readonly Client[]): string {
  const [first, ...rest] = others;
  if (!first?.taxId) return '';
  const kind = first.taxId.length === 11 ? 'CPF' : 'CNPJ';
  const more = rest.length === 0 ? '' : ` (e de mais ${rest.length})`;
  return `o ${kind} ${formatTaxId(first.taxId)}, de ${first.fullName ?? first.email}${more}`;
}
