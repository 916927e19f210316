// Detection of documents addressed to the wrong client.
import { type Client, findClientsByTaxId } from '~/features/clients/api/clients';
import { getExtension } from '~/lib/files/file-name';
import { formatTaxId, extractTaxIds } from '~/lib/tax-id';

/** Other clients whose CPF or CNPJ occurs in the text of a PDF. Other formats and scanned pages are not checked. */
export async function findOtherClientsInPdf(file: File, clientId: string): Promise<Client[]> {
  if (getExtension(file.name) !== 'pdf') return [];
  const { textOfPdf } = await import('~/features/documents/viewer/pdf');
  // Protected or damaged files are not checked.
  const text = await textOfPdf(file).catch(() => '');
  const found = await findClientsByTaxId(extractTaxIds(text));
  return found.filter(({ id }) => id !== clientId);
}

/**
 * Description of the matches, `o CNPJ 11.222.333/0001-81, de Padaria Aurora`: the first match and the number of others.
 */
export function describeMatch(others: readonly Client[]): string {
  const [first, ...rest] = others;
  if (!first?.taxId) return '';
  const kind = first.taxId.length === 11 ? 'CPF' : 'CNPJ';
  const more = rest.length === 0 ? '' : ` (e de mais ${rest.length})`;
  return `o ${kind} ${formatTaxId(first.taxId)}, de ${first.fullName ?? first.email}${more}`;
}
