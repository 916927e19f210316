// Button that closes a ticket after a confirmation.
import { lazy, Suspense, useState, useSyncExternalStore } from 'react';

import type { Ticket } from '~/features/tickets/api/tickets';
import { serverStatus } from '~/lib/api/server-status';
import { Button } from '~/ui/button';

// Loaded on demand, because most visits close no ticket.
const CloseTicketDialog = lazy(async () => ({
  default: (await import('./close-ticket-dialog')).CloseTicketDialog,
}));

type Asking = 'not yet' | 'open' | 'shut';

type CloseTicketButtonProps = {
  ticket: Pick<Ticket, 'id' | 'subject'>;
  /** The accessible name, where a list has several such buttons. */
  label?: string;
};

export function CloseTicketButton({ ticket, label }: CloseTicketButtonProps) {
  const [asking, setAsking] = useState<Asking>('not yet');
  const isUp = useSyncExternalStore(serverStatus.subscribe, serverStatus.get) === 'up';
  return (
    <>
      <span className="flex flex-col gap-1">
        <Button variant="secondary" disabled={!isUp} aria-label={label} onClick={() => setAsking('open')}>
          Fechar
        </Button>
        {!isUp && <span className="text-caption text-muted-foreground text-center">Precisa de conexão</span>}
      </span>
      {asking !== 'not yet' && (
        <Suspense>
          <CloseTicketDialog
            ticket={ticket}
            open={asking === 'open'}
            onOpenChange={(open) => setAsking(open ? 'open' : 'shut')}
          />
        </Suspense>
      )}
    </>
  );
}
