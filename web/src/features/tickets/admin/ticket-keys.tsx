// Keyboard shortcuts of the ticket page: reply, close and assign to oneself.
import { useEffect, useEffectEvent, useState } from 'react';
import { useLocation } from 'react-router';

import { useUser } from '~/features/auth/session';
import type { AdminTicket } from '~/features/tickets/api/admin-tickets';
import { REPLY_STATE } from '~/features/tickets/reply-state';
import { useKeyShortcuts } from '~/hooks/use-key-shortcuts';
import { ConfirmDialog } from '~/ui/confirm-dialog';

import { useUpdateTicket } from './use-update-ticket';

type TicketKeysProps = { ticket: AdminTicket; onReply: () => void };

/** `e` asks before it closes the ticket, because the client receives a notice. */
export function TicketKeys({ ticket, onReply }: TicketKeysProps) {
  const { id: me } = useUser();
  const [isAsking, setAsking] = useState(false);
  const update = useUpdateTicket(ticket.id, () => setAsking(false));
  const reply = useEffectEvent(onReply);
  const isReplyWanted = useLocation().state === REPLY_STATE;
  useEffect(() => {
    if (!isReplyWanted) return undefined;
    // The layout first moves the focus to the new page.
    const frame = requestAnimationFrame(() => reply());
    return () => cancelAnimationFrame(frame);
  }, [isReplyWanted]);
  useKeyShortcuts({
    r: onReply,
    a: () => {
      if (ticket.assignee?.id !== me && !update.isPending) update.mutate({ assignee_id: me });
    },
    e: () => {
      if (ticket.status !== 'closed') setAsking(true);
    },
  });
  return (
    <ConfirmDialog
      open={isAsking}
      onOpenChange={setAsking}
      title="Fechar ticket"
      description={`O atendimento “${ticket.subject}” será encerrado. O cliente pode reabri-lo com uma nova mensagem.`}
      confirm="Fechar ticket"
      pending={update.isPending}
      onConfirm={() => update.mutate({ status: 'closed' })}
    />
  );
}
