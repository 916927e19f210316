// Button that closes a ticket after a confirmation.
import { lazy, Suspense, useId, useState, useSyncExternalStore } from 'react';

import { closeTicket, type Ticket, ticketKeys } from '~/features/tickets/api/tickets';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { serverStatus } from '~/lib/api/server-status';
import { Button } from '~/ui/button';

// Loaded on demand, because most visits close no ticket.
const ConfirmDialog = lazy(async () => ({ default: (await import('~/ui/confirm-dialog')).ConfirmDialog }));

type Asking = 'not yet' | 'open' | 'shut';

export function CloseTicketButton({ ticket }: { ticket: Pick<Ticket, 'id' | 'subject'> }) {
  const reasonId = useId();
  const [asking, setAsking] = useState<Asking>('not yet');
  const isUp = useSyncExternalStore(serverStatus.subscribe, serverStatus.get) === 'up';
  const close = useApiMutation({
    mutationFn: closeTicket,
    invalidates: [ticketKeys.all],
    successToast: { title: 'Ticket fechado' },
    errorToast: { title: 'Erro', fallback: 'Não foi possível fechar o ticket. Tente novamente.' },
    onSuccess: () => setAsking('shut'),
  });
  return (
    <>
      <span className="flex flex-col gap-1">
        <Button
          variant="secondary"
          disabled={!isUp}
          aria-describedby={isUp ? undefined : reasonId}
          onClick={() => setAsking('open')}
        >
          Fechar
        </Button>
        {!isUp && (
          <span id={reasonId} className="text-muted-foreground text-caption text-center">
            Precisa de conexão
          </span>
        )}
      </span>
      {asking !== 'not yet' && (
        <Suspense>
          <ConfirmDialog
            open={asking === 'open'}
            onOpenChange={(open) => setAsking(open ? 'open' : 'shut')}
            title="Fechar ticket"
            description={`O atendimento “${ticket.subject}” será encerrado.`}
            confirm="Fechar ticket"
            pending={close.isPending}
            onConfirm={() => close.mutate(ticket.id)}
          />
        </Suspense>
      )}
    </>
  );
}
