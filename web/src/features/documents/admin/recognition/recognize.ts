// Comparison of the clients that a file names with the client that a person chose.
import type { Client } from '~/features/clients/api/clients';
import type { TaxId } from '~/lib/tax-id';

import type { FileIdentity } from './identify-file';

/** A tax id of somebody else. `client` is null if no client has it. */
export type ForeignTaxId = { taxId: TaxId; inName: boolean; client: Client | null };

export type Recognition =
  /** The file names the chosen client. */
  | { kind: 'chosen' }
  /** The file names no one. */
  | { kind: 'none' }
  /** The file names somebody else. */
  | { kind: 'other'; foreign: readonly ForeignTaxId[] };

/**
 * Compares a file with the chosen client. A text that names the chosen client may contain tax ids that no client has:
 * a contract and an invoice name both parties.
 */
export function recognize({ inName, inText, owners }: FileIdentity, chosen: Client): Recognition {
  const isOwn = (taxId: TaxId) =>
    taxId === chosen.taxId || owners.some((owner) => owner.id === chosen.id && owner.taxId === taxId);
  const all = [...new Set([...inName, ...inText])];
  const namesChosen = all.some(isOwn);
  const foreign = all
    .filter((taxId) => !isOwn(taxId))
    .flatMap((taxId) => {
      const clients = owners.filter((owner) => owner.taxId === taxId);
      return (clients.length > 0 ? clients : [null]).map((client) => ({
        taxId,
        inName: inName.includes(taxId),
        client,
      }));
    })
    .filter(({ client, inName: named }) => client !== null || named || !namesChosen);
  if (foreign.length > 0) {
    return { kind: 'other', foreign: foreign.toSorted((one, next) => rank(one) - rank(next)) };
  }
  return { kind: namesChosen ? 'chosen' : 'none' };
}

/** Clients precede unknown tax ids. */
const rank = ({ client }: ForeignTaxId) => (client === null ? 1 : 0);

/**
 * The tax ids that a form for a single file asks about. A person chose the client of this file, so an unknown tax id
 * is a reason to ask only if the client's own one is known.
 */
export function findDoubts(identity: FileIdentity, chosen: Client): readonly ForeignTaxId[] {
  const recognition = recognize(identity, chosen);
  if (recognition.kind !== 'other') return [];
  return recognition.foreign.filter(({ client }) => client !== null || chosen.taxId !== null);
}
