// Question about a file that names somebody else than the chosen client.
import { useId } from 'react';

import type { Client } from '~/features/clients/api/clients';
import { cn } from '~/ui/cn';
import { Radio } from '~/ui/radio';

import { ForeignTaxIds } from '../recognition/foreign-tax-ids';
import { type BulkUploadItem, clientName, findForeignTaxIds, shownFileName } from './bulk-upload-item';

/** Maximum number of clients that a question offers. */
const MAX_OFFERED_CLIENTS = 4;

type ClientDecisionProps = {
  item: BulkUploadItem;
  chosen: Client;
  disabled: boolean;
  /** Whether the answer is overdue. */
  missing: boolean;
  onDecide: (decision: Client | 'left-out') => void;
};

export function ClientDecision({ item, chosen, disabled, missing, onDecide }: ClientDecisionProps) {
  const id = useId();
  const foreign = findForeignTaxIds(item, chosen);
  if (foreign.length === 0) return null;
  const named = foreign.flatMap(({ client }) => (client && client.id !== chosen.id ? [client] : []));
  const others = [...new Map(named.map((client) => [client.id, client])).values()];
  const { decision } = item;
  const decided = typeof decision === 'object' ? decision?.id : decision;
  const radio = { name: id, disabled };
  return (
    <fieldset
      {...(decision === null && { 'data-undecided': true })}
      aria-describedby={cn(`${id}-reason`, missing && `${id}-error`)}
      className={cn(
        'mt-2 min-w-0 rounded px-3 pt-2 pb-1 text-sm max-sm:-mr-12 max-sm:-ml-10',
        decision === null ? 'bg-warning-subtle' : 'bg-muted',
      )}
    >
      <legend className="sr-only">De quem é {shownFileName(item)}?</legend>
      <p id={`${id}-reason`} className="wrap-anywhere">
        <ForeignTaxIds foreign={foreign} />
      </p>
      <div className="mt-1 flex flex-col">
        {others.slice(0, MAX_OFFERED_CLIENTS).map((client) => (
          <Radio
            {...radio}
            key={client.id}
            label={`Enviar para ${clientName(client)}`}
            checked={decided === client.id}
            onChange={() => onDecide(client)}
          />
        ))}
        <Radio
          {...radio}
          label={`Enviar para ${clientName(chosen)}`}
          hint="cliente escolhido"
          checked={decided === chosen.id}
          onChange={() => onDecide(chosen)}
        />
        <Radio
          {...radio}
          label="Deixar de fora"
          checked={decided === 'left-out'}
          onChange={() => onDecide('left-out')}
        />
      </div>
      {missing && (
        <p id={`${id}-error`} className="text-danger mb-1">
          Escolha uma das opções.
        </p>
      )}
    </fieldset>
  );
}
