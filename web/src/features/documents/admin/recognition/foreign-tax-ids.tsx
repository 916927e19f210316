// Sentence about the tax ids of somebody else in a file.
import { formatTaxId } from '~/lib/tax-id';

import type { ForeignTaxId } from './recognize';

/** `O texto do arquivo traz o CNPJ 11.222.333/0001-81, de Padaria Aurora (e mais 2).` */
export function ForeignTaxIds({ foreign }: { foreign: readonly ForeignTaxId[] }) {
  const [first] = foreign;
  if (!first) return null;
  const { taxId, inName, client } = first;
  const more = new Set(foreign.map((other) => other.taxId)).size - 1;
  return (
    <>
      O {inName ? 'nome' : 'texto'} do arquivo traz{' '}
      <strong className="text-foreground font-medium wrap-anywhere">
        o {taxId.length === 11 ? 'CPF' : 'CNPJ'} {formatTaxId(taxId)},{' '}
        {client ? `de ${client.fullName ?? client.email}` : 'que não é de nenhum cliente'}
      </strong>
      {more > 0 && ` (e mais ${more})`}.
    </>
  );
}
