// Form of a ticket reply: text, attachments and submit button.
import { Paperclip, X } from 'lucide-react';
import {
  type FormEvent,
  type KeyboardEvent,
  lazy,
  type ReactNode,
  Suspense,
  useId,
  useRef,
  useState,
} from 'react';

import { serverConfig } from '~/lib/api/server-config';
import { getExtension } from '~/lib/files/file-name';
import { SENT_TYPES } from '~/lib/files/sent-types';
import { formatSizeLimit } from '~/lib/files/validate-file';
import { formatSize, pluralize } from '~/lib/format';
import { toast } from '~/lib/toast';
import { whenIdle } from '~/lib/when-idle';
import { Button } from '~/ui/button';
import { cn } from '~/ui/cn';
import { Field } from '~/ui/field';
import { FileIcon } from '~/ui/file-icon';
import { IconButton } from '~/ui/icon-button';
import { Textarea } from '~/ui/input';

const loadUploadingItems = () => import('~/components/uploading-items');

// Loaded ahead, because an upload would delay it.
whenIdle(() => void loadUploadingItems().catch(() => {}));

const UploadingItems = lazy(async () => ({ default: (await loadUploadingItems()).UploadingItems }));

const MAX_FILES = 20;
const MAX_BODY = 10_000;

type WaitingFile = { path: string; name: string; size: number };
type UploadingFile = { id: string; name: string; progress: number };

type ReplyFormProps = {
  label: string;
  body: string;
  onBodyChange: (body: string) => void;
  files: readonly WaitingFile[];
  sending: readonly UploadingFile[];
  onFilesSelect: (files: readonly File[]) => void;
  onRemove: (path: string) => void;
  onCancel: (id: string) => void;
  /** Label of the submit button. */
  submit: string;
  pending: boolean;
  onSend: () => void;
  /** Second button, which sends and does more. */
  second?: { label: string; onSend: () => void };
  /** Content above the text, and between the attachments and the button. */
  header?: ReactNode;
  footer?: ReactNode;
};

export function ReplyForm({
  label,
  body,
  onBodyChange,
  files,
  sending,
  onFilesSelect,
  onRemove,
  onCancel,
  submit,
  pending,
  onSend,
  second,
  header,
  footer,
}: ReplyFormProps) {
  const [error, setError] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const waits = sending.length > 0;

  const send = (perform: () => void) => {
    if (pending || waits) return;
    if (body.trim() === '') {
      setError('Escreva uma mensagem.');
      form.current?.querySelector('textarea')?.focus();
      return;
    }
    perform();
  };
  const sendByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send(onSend);
  };

  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        send(onSend);
      }}
      className="flex flex-col gap-4 p-5"
    >
      {header}
      <Field label={label} required error={error}>
        {(control) => (
          <Textarea
            {...control}
            rows={4}
            maxLength={MAX_BODY}
            value={body}
            onKeyDown={sendByKey}
            onChange={({ target }) => {
              setError(undefined);
              onBodyChange(target.value);
            }}
          />
        )}
      </Field>
      {/* Announces the attached files, because focus returns to the file input. */}
      <div aria-live="polite" className="contents">
        {(files.length > 0 || waits) && (
          <ul aria-label="Anexos da resposta" className="flex flex-col gap-2">
            {files.map(({ path, name, size }) => (
              <li key={path} className="border-border flex items-center gap-3 rounded border py-1 pr-1 pl-3">
                <FileIcon type={getExtension(name)} size={20} className="shrink-0" />
                <span className="min-w-0 flex-1 wrap-anywhere">{name}</span>
                <span className="text-muted-foreground text-sm tabular-nums">{formatSize(size)}</span>
                <IconButton
                  label={`Remover ${name}`}
                  icon={<X size={18} aria-hidden />}
                  onClick={() => onRemove(path)}
                />
              </li>
            ))}
            {waits && (
              <Suspense>
                <UploadingItems sending={sending} onCancel={onCancel} />
              </Suspense>
            )}
          </ul>
        )}
      </div>
      {footer}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <AttachButton
          isWide={second !== undefined}
          remainingSlots={MAX_FILES - files.length - sending.length}
          onFilesSelect={onFilesSelect}
        />
        <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:*:w-full sm:ml-auto">
          {second && (
            <Button
              variant="secondary"
              pending={pending}
              disabled={waits}
              onClick={() => send(second.onSend)}
              className="max-sm:order-last"
            >
              {second.label}
            </Button>
          )}
          <Button
            type="submit"
            pending={pending}
            disabled={waits}
            aria-keyshortcuts="Control+Enter Meta+Enter"
          >
            {submit}
          </Button>
        </div>
      </div>
    </form>
  );
}

/** Native file input under a styled label. */
function AttachButton({
  isWide,
  remainingSlots,
  onFilesSelect,
}: {
  /** Whether it takes a line of its own, because two buttons need the other one. */
  isWide: boolean;
  remainingSlots: number;
  onFilesSelect: (files: readonly File[]) => void;
}) {
  const id = useId();
  return (
    <div
      className={cn(
        'flex items-center gap-x-3 gap-y-1 max-sm:w-full max-sm:flex-wrap',
        isWide ? 'sm:w-full' : 'sm:flex-1 sm:basis-96',
      )}
    >
      <div className="touch-target border-border bg-card hover:bg-muted has-focus-visible:outline-ring text-body relative inline-flex items-center justify-center gap-2 rounded border px-4 font-medium has-focus-visible:outline-2 has-disabled:opacity-60 max-sm:w-full sm:shrink-0">
        <Paperclip size={18} aria-hidden />
        <label htmlFor={id}>Anexar arquivos</label>
        <input
          id={id}
          type="file"
          multiple
          disabled={remainingSlots <= 0}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => {
            const chosen = [...(target.files ?? [])];
            const over = chosen.length - remainingSlots;
            onFilesSelect(chosen.slice(0, remainingSlots));
            if (over > 0) {
              toast({
                title: pluralize(over, 'arquivo não foi anexado', 'arquivos não foram anexados'),
                description: `Uma mensagem leva até ${MAX_FILES} arquivos.`,
                variant: 'error',
              });
            }
            // Resets the input, so that the same file triggers another change event.
            target.value = '';
          }}
          className="absolute inset-0 size-full cursor-pointer opacity-0 disabled:cursor-not-allowed"
        />
      </div>
      <p id={`${id}-hint`} className="text-muted-foreground text-sm text-pretty">
        Até {MAX_FILES} arquivos de {formatSizeLimit(serverConfig().max_upload_bytes)}: {SENT_TYPES}
      </p>
    </div>
  );
}
