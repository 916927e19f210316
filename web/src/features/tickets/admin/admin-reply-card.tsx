// Reply card of the back office: replies to the client and internal notes.
import { useState } from 'react';

import { useUser } from '~/features/auth/session';
import {
  assignIfUnassigned,
  type AdminTicketMessage,
  type AdminTicket,
  updateTicket,
} from '~/features/tickets/api/admin-tickets';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { ReplyForm } from '~/features/tickets/reply/reply-form';
import { type SentReply, useReply } from '~/features/tickets/reply/use-reply';
import { useTypingStaff, useTypingHeartbeat } from '~/features/tickets/reply/use-typing-presence';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { STAFF_PREFIX } from '~/lib/files/storage-path';
import { Alert } from '~/ui/alert';
import { Panel } from '~/ui/card';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { ToggleGroup } from '~/ui/toggle-group';

import { SavedReplySelect } from './saved-replies/saved-reply-select';
import { useUnreadMessages } from './use-unread-messages';

/** Reply form with a warning if other staff are typing or if messages arrived since the draft began. */
export function AdminReplyCard({ ticket }: { ticket: AdminTicket }) {
  const reply = useReply({
    ticketId: ticket.id,
    sender: STAFF_PREFIX,
    success({ internal, closes }) {
      if (internal) return 'Nota salva';
      // One toast is shown at a time: closing and assignment show theirs with the result of both.
      return closes || ticket.assignee === null ? null : 'Resposta enviada';
    },
    onSent: useAfterReply(ticket),
  });
  const { body, internal } = reply.values;
  const incoming = useUnreadMessages(ticket);
  const [unread, setUnread] = useState<AdminTicketMessage[]>([]);
  /** Whether the reply that waits for a confirmation is to close the ticket. */
  const [closes, setCloses] = useState(false);
  const [looking, setLooking] = useState(false);
  const others = useTypingStaff(ticket.id);
  useTypingHeartbeat(ticket.id, body.trim() !== '');

  const write = (text: string) => {
    // The first typed character marks the visible messages as read.
    if (body === '') incoming.markRead();
    reply.form.onBodyChange(text);
  };
  const send = async (closing: boolean) => {
    if (internal) return reply.send();
    setCloses(closing);
    setLooking(true);
    const newer = await incoming.checkNow();
    setLooking(false);
    if (newer.length > 0) setUnread(newer);
    else reply.send(closing);
  };
  const close = () => {
    setUnread([]);
    incoming.markRead();
  };

  return (
    <Panel title={internal ? 'Nota interna' : 'Responder'} className="print:hidden">
      <ReplyForm
        {...reply.form}
        onBodyChange={write}
        pending={reply.form.pending || looking}
        label={internal ? 'Sua nota' : 'Sua resposta'}
        submit={internal ? 'Salvar nota' : 'Enviar resposta'}
        onSend={() => void send(false)}
        {...(!internal &&
          ticket.status !== 'closed' && {
            second: { label: 'Responder e fechar', onSend: () => void send(true) },
          })}
        header={
          <>
            <SideChoice
              internal={internal}
              onChange={(next) => reply.change((draft) => ({ ...draft, internal: next }))}
            />
            <Warnings others={others} newer={body === '' ? [] : incoming.unread} />
          </>
        }
        footer={
          <SavedReplySelect
            onPick={(text) => write(body.trim() === '' ? text : `${body.trimEnd()}\n\n${text}`)}
          />
        }
      />
      <ConfirmDialog
        open={unread.length > 0}
        onOpenChange={(open) => !open && close()}
        title="Há mensagens mais novas"
        description={`${describeAuthors(unread)} neste ticket depois que você começou a escrever. Leia antes de enviar, para não responder duas vezes.`}
        cancel="Voltar e ler"
        confirm="Enviar assim mesmo"
        onConfirm={() => {
          close();
          reply.send(closes);
        }}
      />
    </Panel>
  );
}

/**
 * Changes of the ticket after a reply to the client: the first reply assigns it to its author, if it has no assignee, and
 * a reply may close it. A failure of either leaves the reply sent.
 */
function useAfterReply(ticket: AdminTicket): (sent: SentReply) => void {
  const { id: me } = useUser();
  const assigning = useApiMutation({
    mutationFn: () => assignIfUnassigned(ticket.id, me),
    invalidates: [ticketKeys.all],
    successToast(isAssigned, { closes }: SentReply) {
      if (closes) return null;
      return { title: 'Resposta enviada', ...(isAssigned && { description: 'Você assumiu o ticket.' }) };
    },
    errorToast: { title: 'Resposta enviada, mas o ticket continua sem responsável' },
  });
  const closing = useApiMutation({
    mutationFn: () => updateTicket({ id: ticket.id, change: { status: 'closed' } }),
    invalidates: [ticketKeys.all],
    successToast: { title: 'Resposta enviada e ticket fechado' },
    errorToast: {
      title: 'Resposta enviada, mas o ticket continua aberto',
      fallback: 'Não foi possível fechar o ticket. Tente fechá-lo novamente.',
    },
  });
  return (sent) => {
    if (sent.internal) return;
    if (ticket.assignee === null) assigning.mutate(sent);
    if (sent.closes) closing.mutate();
  };
}

type SideChoiceProps = { internal: boolean; onChange: (internal: boolean) => void };

function SideChoice({ internal, onChange }: SideChoiceProps) {
  return (
    <div>
      <ToggleGroup
        label="Para quem"
        value={internal}
        options={[
          { value: false, label: 'Resposta ao cliente' },
          { value: true, label: 'Nota interna' },
        ]}
        onChange={onChange}
      />
      {internal && (
        <p className="text-muted-foreground mt-2 text-sm">Só a equipe vê esta nota e os anexos dela.</p>
      )}
    </div>
  );
}

function Warnings({ others, newer }: { others: readonly string[]; newer: readonly AdminTicketMessage[] }) {
  return (
    <div aria-live="polite" className="flex flex-col gap-3 empty:hidden">
      {others.length > 0 && (
        <Alert variant="info">
          {listed(others)} {others.length === 1 ? 'está escrevendo' : 'estão escrevendo'} neste ticket agora.
        </Alert>
      )}
      {newer.length > 0 && (
        <Alert variant="info">
          {describeAuthors(newer)} neste ticket depois que você começou a escrever.
        </Alert>
      )}
    </div>
  );
}

/** Authors of the messages, `Bia e o cliente escreveram`. */
function describeAuthors(messages: readonly AdminTicketMessage[]): string {
  const authors = messages.map(({ from_staff, staff }) =>
    from_staff ? (staff ?? 'Um colega') : 'O cliente',
  );
  const names = [...new Set(authors)];
  return `${listed(names)} ${names.length === 1 ? 'escreveu' : 'escreveram'}`;
}

function listed(names: readonly string[]): string {
  return new Intl.ListFormat('pt-BR').format(names);
}
