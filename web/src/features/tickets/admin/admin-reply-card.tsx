// Reply card of the administrators: replies to the client and internal notes.
import { useState } from 'react';

import type { AdminTicketMessage, AdminTicket } from '~/features/tickets/api/admin-tickets';
import { ReplyForm } from '~/features/tickets/reply/reply-form';
import { useReply } from '~/features/tickets/reply/use-reply';
import { useTypingStaff, useTypingHeartbeat } from '~/features/tickets/reply/use-typing-presence';
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
    success: ({ internal }) => (internal ? 'Nota salva' : 'Resposta enviada'),
  });
  const { body, internal } = reply.values;
  const incoming = useUnreadMessages(ticket);
  const [unread, setUnread] = useState<AdminTicketMessage[]>([]);
  const [looking, setLooking] = useState(false);
  const others = useTypingStaff(ticket.id);
  useTypingHeartbeat(ticket.id, body.trim() !== '');

  const write = (text: string) => {
    // The first typed character marks the visible messages as read.
    if (body === '') incoming.markRead();
    reply.form.onBodyChange(text);
  };
  const send = async () => {
    if (internal) return reply.send();
    setLooking(true);
    const newer = await incoming.checkNow();
    setLooking(false);
    if (newer.length > 0) setUnread(newer);
    else reply.send();
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
        onSend={() => void send()}
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
          reply.send();
        }}
      />
    </Panel>
  );
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
