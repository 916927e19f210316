import { useEffect, useState } from 'react';

import { useUser } from '~/features/auth/session';
import { sendReply } from '~/features/tickets/api/ticket-thread';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { useApiMutation } from '~/hooks/use-api-mutation';
import {
  type Draft,
  deleteDraftIfUnchanged,
  deleteDraft,
  saveDraft,
  subscribeToDraft,
} from '~/lib/drafts/drafts';

import {
  emptyReply,
  newReplyDraft,
  replyDraftScope,
  loadReplyDraft,
  type ReplyValues,
  rebaseReply,
} from './reply-draft';
import { useAttachments } from './use-attachments';

type ReplyOptions = {
  ticketId: string;
  /** Under whose name the files lie. */
  sender: string;
  /** The title of the toast. */
  success: (sent: ReplyValues) => string;
};

/** The reply that is being written under a ticket, kept with every change, and its sending. Either side's. */
export function useReply({ ticketId, sender, success }: ReplyOptions) {
  const { id: userId } = useUser();
  const [draft, setDraft] = useState<Draft<ReplyValues>>(() =>
    loadReplyDraft(replyDraftScope(userId, ticketId)),
  );

  // The same reply may be open in another tab.
  useEffect(() => {
    const scope = replyDraftScope(userId, ticketId);
    return subscribeToDraft(scope, draft.id, () => setDraft(loadReplyDraft(scope)));
  }, [userId, ticketId, draft.id]);

  useEffect(() => {
    const scope = replyDraftScope(userId, ticketId);
    if (draft.values.body === '' && draft.values.files.length === 0) deleteDraft(scope, draft.id);
    else saveDraft(scope, draft);
  }, [userId, ticketId, draft]);

  const action = useApiMutation({
    mutationFn: ({ idempotencyKey, values }: Draft<ReplyValues>) =>
      sendReply({ ...values, ticketId, idempotencyKey, body: values.body.trim() }),
    invalidates: [ticketKeys.all],
    successToast: (_, { values }) => ({ title: success(values) }),
    errorToast: { title: 'Erro', fallback: 'Não foi possível enviar a resposta. Tente novamente.' },
    onSuccess(_, sent) {
      deleteDraftIfUnchanged(replyDraftScope(userId, ticketId), sent);
      setDraft((current) =>
        current.idempotencyKey === sent.idempotencyKey
          ? emptyReply()
          : newReplyDraft(rebaseReply(sent.values, current.values)),
      );
    },
  });

  const change = (changed: (words: ReplyValues) => ReplyValues) =>
    setDraft((current) => newReplyDraft(changed(current.values)));
  const attachments = useAttachments(ticketId, sender, (file) =>
    change((words) => ({ ...words, files: [...words.files, { ...file, at: Date.now() }] })),
  );

  return {
    words: draft.values,
    change,
    send: () => action.mutate(draft),
    /** What the form shows and reports. */
    form: {
      body: draft.values.body,
      onBodyChange: (body: string) => change((words) => ({ ...words, body })),
      files: draft.values.files,
      sending: attachments.sending,
      onFilesSelect: attachments.start,
      onRemove: (path: string) =>
        change((words) => ({ ...words, files: words.files.filter((file) => file.path !== path) })),
      onCancel: attachments.cancel,
      pending: action.isPending,
    },
  };
}
