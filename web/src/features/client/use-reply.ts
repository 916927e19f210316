import { useEffect, useState } from 'react';

import { useUser } from '~/data/session';
import { type TicketDetail, sendReply } from '~/data/ticket';
import { ticketKeys } from '~/data/tickets';
import { type Draft, dropDraft, forgetDraft, keepDraft, watchDraft } from '~/lib/drafts';
import { useAction } from '~/lib/use-action';

import { blankReply, changedReply, replyDesk, replyToWrite, type ReplyWords } from './reply-draft';

/** The reply that is being written under a ticket, kept with every change, and its sending. */
export function useReply(ticket: TicketDetail) {
  const { id: userId } = useUser();
  const [draft, setDraft] = useState<Draft<ReplyWords>>(() => replyToWrite(replyDesk(userId, ticket.id)));

  // The same reply may be open in another tab.
  useEffect(() => {
    const desk = replyDesk(userId, ticket.id);
    return watchDraft(desk, draft.slot, () => setDraft(replyToWrite(desk)));
  }, [userId, ticket.id, draft.slot]);

  useEffect(() => {
    const desk = replyDesk(userId, ticket.id);
    if (draft.values.body === '' && draft.values.files.length === 0) forgetDraft(desk, draft.slot);
    else keepDraft(desk, draft);
  }, [userId, ticket.id, draft]);

  const wasClosed = ticket.status === 'closed';
  const action = useAction({
    run: ({ key, values }: Draft<ReplyWords>) =>
      sendReply({ ticketId: ticket.id, key, body: values.body.trim(), files: values.files }),
    refreshes: [ticketKeys.all],
    success: { title: wasClosed ? 'Ticket reaberto' : 'Resposta enviada' },
    failure: { title: 'Erro', fallback: 'Não foi possível enviar a resposta. Tente novamente.' },
    onSuccess(_, sent) {
      dropDraft(replyDesk(userId, ticket.id), sent);
      // What was written meanwhile stays.
      setDraft((current) => (current.key === sent.key ? blankReply() : current));
    },
  });

  return {
    words: draft.values,
    change: (changed: (words: ReplyWords) => ReplyWords) =>
      setDraft((current) => changedReply(changed(current.values))),
    pending: action.pending,
    send: () => action.run(draft),
  };
}
