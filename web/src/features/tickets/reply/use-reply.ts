// State and submission of a ticket reply.
import { useIsMutating } from '@tanstack/react-query';
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
  /** Owner of the storage folder of the attachments. */
  sender: string | null;
  /** Title of the success toast, null for none. */
  success: (sent: SentReply) => string | null;
  /** Called after success, also if the screen is no longer shown. */
  onSent?: (sent: SentReply) => void;
};

/** A reply, and whether it is to close the ticket. */
export type SentReply = ReplyValues & { closes: boolean };

type Sending = Draft<ReplyValues> & { closes: boolean };

/**
 * Listeners of the forms on the screen, called when a reply was sent: by the form itself, or by an earlier form of the
 * ticket, which was left before the answer came.
 */
const sentListeners = new Set<(ticketId: string, sent: Sending) => void>();

/** Reply draft of a client or a staff member. Each change is stored. */
export function useReply({ ticketId, sender, success, onSent }: ReplyOptions) {
  const { id: userId } = useUser();
  const [draft, setDraft] = useState<Draft<ReplyValues>>(() =>
    loadReplyDraft(replyDraftScope(userId, ticketId)),
  );

  // Synchronizes the draft with other tabs.
  useEffect(() => {
    const scope = replyDraftScope(userId, ticketId);
    return subscribeToDraft(scope, draft.id, () => setDraft(loadReplyDraft(scope)));
  }, [userId, ticketId, draft.id]);

  useEffect(() => {
    const scope = replyDraftScope(userId, ticketId);
    if (draft.values.body === '' && draft.values.files.length === 0) deleteDraft(scope, draft.id);
    else saveDraft(scope, draft);
  }, [userId, ticketId, draft]);

  useEffect(() => {
    const removeSent = (id: string, sent: Sending) => {
      if (id !== ticketId) return;
      setDraft((current) =>
        current.idempotencyKey === sent.idempotencyKey
          ? emptyReply()
          : newReplyDraft(rebaseReply(sent.values, current.values)),
      );
    };
    sentListeners.add(removeSent);
    return () => void sentListeners.delete(removeSent);
  }, [ticketId]);

  const mutationKey = [...ticketKeys.all, 'reply', ticketId];
  const action = useApiMutation({
    mutationKey,
    mutationFn: ({ idempotencyKey, values }: Sending) =>
      sendReply({ ...values, ticketId, idempotencyKey, body: values.body.trim() }),
    invalidates: [ticketKeys.all],
    successToast(_, { values, closes }) {
      const title = success({ ...values, closes });
      return title === null ? null : { title };
    },
    errorToast: { title: 'Erro', fallback: 'Não foi possível enviar a resposta. Tente novamente.' },
    onSuccess(_, sent) {
      deleteDraftIfUnchanged(replyDraftScope(userId, ticketId), sent);
      for (const removeSent of sentListeners) removeSent(ticketId, sent);
      onSent?.({ ...sent.values, closes: sent.closes });
    },
  });

  const isSending = useIsMutating({ mutationKey }) > 0;

  const change = (changed: (values: ReplyValues) => ReplyValues) =>
    setDraft((current) => newReplyDraft(changed(current.values)));
  const attachments = useAttachments(ticketId, sender, (file) =>
    change((values) => ({
      ...values,
      files: [...values.files, file].toSorted((one, other) => one.at - other.at),
    })),
  );

  return {
    values: draft.values,
    change,
    send: (closes = false) => action.mutate({ ...draft, closes }),
    /** Props of the reply form. */
    form: {
      body: draft.values.body,
      onBodyChange: (body: string) => change((values) => ({ ...values, body })),
      files: draft.values.files,
      sending: attachments.sending,
      onFilesSelect: attachments.start,
      onRemove: (path: string) =>
        change((values) => ({ ...values, files: values.files.filter((file) => file.path !== path) })),
      onCancel: attachments.cancel,
      pending: isSending,
    },
  };
}
