import { useEffect, useState } from 'react';

import { useUser } from '~/features/auth/session';
import { sendReply } from '~/features/tickets/api/ticket';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { useAction } from '~/hooks/use-api-mutation';
import { type Draft, dropDraft, forgetDraft, keepDraft, watchDraft } from '~/lib/drafts/drafts';

import {
  blankReply,
  changedReply,
  replyDesk,
  replyToWrite,
  type ReplyWords,
  writtenSince,
} from './reply-draft';
import { useAttachments } from './use-attachments';

type ReplyOptions = {
  ticketId: string;
  /** Under whose name the files lie. */
  sender: string;
  /** The title of the toast. */
  success: (sent: ReplyWords) => string;
};

/** The reply that is being written under a ticket, kept with every change, and its sending. Either side's. */
export function useReply({ ticketId, sender, success }: ReplyOptions) {
  const { id: userId } = useUser();
  const [draft, setDraft] = useState<Draft<ReplyWords>>(() => replyToWrite(replyDesk(userId, ticketId)));

  // The same reply may be open in another tab.
  useEffect(() => {
    const desk = replyDesk(userId, ticketId);
    return watchDraft(desk, draft.slot, () => setDraft(replyToWrite(desk)));
  }, [userId, ticketId, draft.slot]);

  useEffect(() => {
    const desk = replyDesk(userId, ticketId);
    if (draft.values.body === '' && draft.values.files.length === 0) forgetDraft(desk, draft.slot);
    else keepDraft(desk, draft);
  }, [userId, ticketId, draft]);

  const action = useAction({
    run: ({ key, values }: Draft<ReplyWords>) =>
      sendReply({ ...values, ticketId, key, body: values.body.trim() }),
    refreshes: [ticketKeys.all],
    success: (_, { values }) => ({ title: success(values) }),
    failure: { title: 'Erro', fallback: 'Não foi possível enviar a resposta. Tente novamente.' },
    onSuccess(_, sent) {
      dropDraft(replyDesk(userId, ticketId), sent);
      setDraft((current) =>
        current.key === sent.key ? blankReply() : changedReply(writtenSince(sent.values, current.values)),
      );
    },
  });

  const change = (changed: (words: ReplyWords) => ReplyWords) =>
    setDraft((current) => changedReply(changed(current.values)));
  const attachments = useAttachments(ticketId, sender, (file) =>
    change((words) => ({ ...words, files: [...words.files, { ...file, at: Date.now() }] })),
  );

  return {
    words: draft.values,
    change,
    send: () => action.run(draft),
    /** What the form shows and reports. */
    form: {
      body: draft.values.body,
      onBody: (body: string) => change((words) => ({ ...words, body })),
      files: draft.values.files,
      sending: attachments.sending,
      onChoose: attachments.start,
      onRemove: (path: string) =>
        change((words) => ({ ...words, files: words.files.filter((file) => file.path !== path) })),
      onCancel: attachments.cancel,
      pending: action.pending,
    },
  };
}
