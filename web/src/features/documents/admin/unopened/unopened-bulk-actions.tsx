// Reminders and deliveries of the selected documents.
import { MailCheck, PackageCheck } from 'lucide-react';
import { useState } from 'react';

import type { Selection } from '~/components/list-table/bulk-bar';
import { RemindDocumentsDialog } from '~/features/documents/components/remind-documents-dialog';
import { Button } from '~/ui/button';

import { DeliveryDialog } from './delivery-dialog';

export function UnopenedBulkActions({ ids, clear }: Selection) {
  const [asks, setAsks] = useState<'reminder' | 'delivery' | null>(null);
  const close = () => setAsks(null);
  return (
    <>
      <Button
        variant="quiet"
        icon={<PackageCheck size={20} aria-hidden />}
        onClick={() => setAsks('delivery')}
      >
        Marcar como entregue
      </Button>
      <Button icon={<MailCheck size={20} aria-hidden />} onClick={() => setAsks('reminder')}>
        Lembrar
      </Button>
      <RemindDocumentsDialog open={asks === 'reminder'} ids={ids} onClose={close} onDone={clear} />
      {asks === 'delivery' && (
        <DeliveryDialog
          ids={ids}
          onClose={close}
          onDone={() => {
            close();
            clear();
          }}
        />
      )}
    </>
  );
}
