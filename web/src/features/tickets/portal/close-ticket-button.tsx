// Button that closes a ticket after a confirmation.
import { lazy, Suspense, useState } from 'react';

import { closeTicket, type Ticket, ticketKeys } from '~/features/tickets/api/tickets';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { Button } from '~/ui/button';

// Loaded on demand, because most visits close no ticket.
const ConfirmDialog = lazy(async () => ({ default: (await import('~/ui/confirm-dialog')).ConfirmDialog }));

type Asking = 'not yet' | 'open' | 'shut';

export function CloseTicketButton({ ticket }: { ticket: Pick<Ticket, 'id' | 'subject'> }) {
  const [asking, setAsking] = useState<Asking>('not yet');
  const close = useApiMutation({
    mutationFn: closeTicket,
    invalidates: [ticketKeys.all],
    successToast: { title: 'Ticket fechado' },
    errorToast: { title: 'Erro', fallback: 'Não foi possível fechar o ticket. Tente novamente.' },
    onSuccess: () => setAsking('shut'),
  });
  return (
    <>
      <Button variant="secondary" onClick={() => setAsking('open')}>
        Fechar
      </Button>
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
