// The bar below the list: reminders and deliveries of the selected documents.
import { MailCheck, PackageCheck } from 'lucide-react';
import { useState } from 'react';

import { RemindDocumentsDialog } from '~/features/documents/components/remind-documents-dialog';
import { pluralize } from '~/lib/format';
import { Button } from '~/ui/button';

import { DeliveryDialog } from './delivery-dialog';

type ChaseBarProps = { selected: readonly string[]; onClear: () => void };

export function ChaseBar({ selected, onClear }: ChaseBarProps) {
  const [asks, setAsks] = useState<'reminder' | 'delivery' | null>(null);
  const close = () => setAsks(null);
  return (
    <div className="border-border bg-card sticky bottom-0 z-10 -mx-4 mt-5 flex flex-wrap items-center gap-3 border-t px-4 py-3 sm:mx-0 sm:rounded sm:border">
      <p role="status" className="text-body flex min-h-11 items-center tabular-nums">
        {pluralize(selected.length, 'selecionado', 'selecionados')}
      </p>
      <Button variant="quiet" onClick={onClear}>
        Limpar seleção
      </Button>
      <div className="flex flex-wrap gap-3 max-sm:w-full max-sm:flex-col sm:ml-auto">
        <Button
          variant="secondary"
          icon={<PackageCheck size={20} aria-hidden />}
          onClick={() => setAsks('delivery')}
        >
          Marcar como entregue
        </Button>
        <Button icon={<MailCheck size={20} aria-hidden />} onClick={() => setAsks('reminder')}>
          Lembrar
        </Button>
      </div>
      <RemindDocumentsDialog open={asks === 'reminder'} ids={selected} onClose={close} onDone={onClear} />
      {asks === 'delivery' && (
        <DeliveryDialog
          ids={selected}
          onClose={close}
          onDone={() => {
            close();
            onClear();
          }}
        />
      )}
    </div>
  );
}
