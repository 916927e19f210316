import { Paperclip, X } from 'lucide-react';
import { type FormEvent, useId, useRef, useState } from 'react';

import { isClosedForGood, reopensUntil, type TicketDetail } from '~/data/ticket';
import { config } from '~/lib/config';
import { formatDateTime } from '~/lib/dates';
import { limitLabel } from '~/lib/file-limits';
import { extensionOf } from '~/lib/file-name';
import { formatSize } from '~/lib/format';
import { paths } from '~/paths';
import { Button, ButtonLink, IconButton } from '~/ui/button';
import { Panel } from '~/ui/card';
import { Field } from '~/ui/field';
import { FileIcon } from '~/ui/file-icon';
import { Textarea } from '~/ui/input';
import { Notice } from '~/ui/notice';
import { ProgressBar } from '~/ui/progress-bar';

import { MAX_BODY, MAX_FILES } from './reply-draft';
import { useAttachments } from './use-attachments';
import { useReply } from './use-reply';

/** Where a reply is written; for a ticket that was closed too long ago, the way to a new one. */
export function ReplyBox({ ticket }: { ticket: TicketDetail }) {
  const until = reopensUntil(ticket);
  return (
    <Panel title="Responder" className="print-hide">
      {isClosedForGood(ticket) ? (
        <div className="flex flex-col items-start gap-4 p-5">
          <p>
            Este ticket foi fechado há mais de 7 dias e não pode ser reaberto. Para continuar o assunto, abra
            um novo ticket ligado a este.
          </p>
          <ButtonLink to={paths.ticketNew(ticket.id)}>Abrir novo ticket</ButtonLink>
        </div>
      ) : (
        <ReplyForm ticket={ticket} until={until} />
      )}
    </Panel>
  );
}

function ReplyForm({ ticket, until }: { ticket: TicketDetail; until: Date | null }) {
  const reply = useReply(ticket);
  const { body, files } = reply.words;
  const attachments = useAttachments(ticket.id, (file) =>
    reply.change((words) => ({ ...words, files: [...words.files, { ...file, at: Date.now() }] })),
  );
  const [error, setError] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const waits = attachments.sending.length > 0;
  const room = MAX_FILES - files.length - attachments.sending.length;

  const send = (event: FormEvent) => {
    event.preventDefault();
    if (reply.pending || waits) return;
    if (body.trim() === '') {
      setError('Escreva uma mensagem.');
      form.current?.querySelector('textarea')?.focus();
      return;
    }
    reply.send();
  };

  return (
    <form ref={form} noValidate onSubmit={send} className="flex flex-col gap-4 p-5">
      {until !== null && (
        <Notice tone="info">
          Este ticket está fechado. Uma resposta até {formatDateTime(until.toISOString())} o reabre.
        </Notice>
      )}
      <Field label="Sua mensagem" required error={error}>
        {(control) => (
          <Textarea
            {...control}
            rows={4}
            maxLength={MAX_BODY}
            value={body}
            onChange={({ target }) => {
              setError(undefined);
              reply.change((words) => ({ ...words, body: target.value }));
            }}
          />
        )}
      </Field>
      {(files.length > 0 || waits) && (
        <ul aria-label="Anexos da resposta" className="flex flex-col gap-2">
          {files.map(({ path, name, size }) => (
            <li key={path} className="border-hairline flex items-center gap-3 rounded border py-1 pr-1 pl-3">
              <FileIcon type={extensionOf(name)} size={20} className="shrink-0" />
              <span className="min-w-0 flex-1 wrap-anywhere">{name}</span>
              <span className="tabular text-muted text-sm">{formatSize(size)}</span>
              <IconButton
                label={`Remover ${name}`}
                icon={<X size={18} aria-hidden />}
                onClick={() =>
                  reply.change((words) => ({
                    ...words,
                    files: words.files.filter((file) => file.path !== path),
                  }))
                }
              />
            </li>
          ))}
          {attachments.sending.map(({ id, name, share }) => (
            <li key={id} className="border-hairline flex items-center gap-3 rounded border py-2 pr-1 pl-3">
              <ProgressBar
                label={`Enviando ${name}`}
                share={share}
                className="min-w-0 flex-1 wrap-anywhere"
              />
              <IconButton
                label={`Cancelar o envio de ${name}`}
                icon={<X size={18} aria-hidden />}
                onClick={() => attachments.cancel(id)}
              />
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <AttachButton room={room} onChoose={attachments.start} />
        <Button type="submit" pending={reply.pending} disabled={waits} className="max-sm:w-full">
          {until === null ? 'Enviar resposta' : 'Reabrir'}
        </Button>
      </div>
    </form>
  );
}

/** The browser's own file button, under a label that looks like ours. */
function AttachButton({ room, onChoose }: { room: number; onChoose: (files: readonly File[]) => void }) {
  const id = useId();
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 max-sm:w-full">
      <div className="target border-hairline bg-surface hover:bg-sunken has-focus-visible:outline-focus relative inline-flex items-center justify-center gap-2 rounded border px-4 text-[15px] font-medium has-focus-visible:outline-2 has-disabled:opacity-60 max-sm:w-full">
        <Paperclip size={18} aria-hidden />
        <label htmlFor={id}>Anexar arquivos</label>
        <input
          id={id}
          type="file"
          multiple
          disabled={room <= 0}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => {
            onChoose([...(target.files ?? [])].slice(0, room));
            // Choosing the same file again must count as a change.
            target.value = '';
          }}
          className="absolute inset-0 size-full cursor-pointer opacity-0 disabled:cursor-not-allowed"
        />
      </div>
      <p id={`${id}-hint`} className="text-muted text-sm">
        Até {MAX_FILES} arquivos de {limitLabel(config().max_upload_bytes)}
      </p>
    </div>
  );
}
