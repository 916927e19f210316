// Where a message is written: the words, the files that come along, and the button that sends both.
import { Paperclip, X } from 'lucide-react';
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';

import { config } from '~/lib/api/server-config';
import { extensionOf } from '~/lib/files/file-name';
import { limitLabel } from '~/lib/files/validate-file';
import { formatSize, plural } from '~/lib/format';
import { toast } from '~/lib/toast';
import { Button } from '~/ui/button';
import { Field } from '~/ui/field';
import { FileIcon } from '~/ui/file-icon';
import { IconButton } from '~/ui/icon-button';
import { Textarea } from '~/ui/input';
import { ProgressBar } from '~/ui/progress-bar';

const MAX_FILES = 10;
const MAX_BODY = 10_000;

type WaitingFile = { path: string; name: string; size: number };
type FileOnItsWay = { id: string; name: string; share: number };

type ReplyFormProps = {
  label: string;
  body: string;
  onBody: (body: string) => void;
  files: readonly WaitingFile[];
  sending: readonly FileOnItsWay[];
  onChoose: (files: readonly File[]) => void;
  onRemove: (path: string) => void;
  onCancel: (id: string) => void;
  /** The word on the button. */
  submit: string;
  pending: boolean;
  onSend: () => void;
  /** What stands above the words, and between the files and the button. */
  before?: ReactNode;
  after?: ReactNode;
};

export function ReplyForm({
  label,
  body,
  onBody,
  files,
  sending,
  onChoose,
  onRemove,
  onCancel,
  submit,
  pending,
  onSend,
  before,
  after,
}: ReplyFormProps) {
  const [error, setError] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const waits = sending.length > 0;

  const send = (event: FormEvent) => {
    event.preventDefault();
    if (pending || waits) return;
    if (body.trim() === '') {
      setError('Escreva uma mensagem.');
      form.current?.querySelector('textarea')?.focus();
      return;
    }
    onSend();
  };

  return (
    <form ref={form} noValidate onSubmit={send} className="flex flex-col gap-4 p-5">
      {before}
      <Field label={label} required error={error}>
        {(control) => (
          <Textarea
            {...control}
            rows={4}
            maxLength={MAX_BODY}
            value={body}
            onChange={({ target }) => {
              setError(undefined);
              onBody(target.value);
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
                onClick={() => onRemove(path)}
              />
            </li>
          ))}
          {sending.map(({ id, name, share }) => (
            <li key={id} className="border-hairline flex items-center gap-3 rounded border py-2 pr-1 pl-3">
              <ProgressBar
                label={`Enviando ${name}`}
                share={share}
                className="min-w-0 flex-1 wrap-anywhere"
              />
              <IconButton
                label={`Cancelar o envio de ${name}`}
                icon={<X size={18} aria-hidden />}
                onClick={() => onCancel(id)}
              />
            </li>
          ))}
        </ul>
      )}
      {after}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <AttachButton room={MAX_FILES - files.length - sending.length} onChoose={onChoose} />
        <Button type="submit" pending={pending} disabled={waits} className="max-sm:w-full">
          {submit}
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
            const chosen = [...(target.files ?? [])];
            const over = chosen.length - room;
            onChoose(chosen.slice(0, room));
            if (over > 0) {
              toast({
                title: plural(over, 'arquivo não foi anexado', 'arquivos não foram anexados'),
                description: `Uma mensagem leva até ${MAX_FILES} arquivos.`,
                tone: 'destructive',
              });
            }
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
