// Form that sends files without a request, and the files that were sent.
import { useInfiniteQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type FormEvent, useState } from 'react';

import { OnlineButton } from '~/components/online-button';
import { QueryListCard } from '~/components/query-list-card';
import { UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import { UploadingItems } from '~/components/uploading-items';
import { requestKeys, type SentFile, sentFilesQuery } from '~/features/requests/api/requests';
import { sendFile } from '~/features/requests/api/send-file';
import { ReceivedFileItem } from '~/features/requests/components/received-file-item';
import { useUploads } from '~/hooks/use-uploads';
import { refetchChanged } from '~/lib/api/query-client';
import { formatDateTime } from '~/lib/dates';
import { getExtension } from '~/lib/files/file-name';
import { formatSize, pluralize } from '~/lib/format';
import { toast } from '~/lib/toast';
import { Badge } from '~/ui/badge';
import { Card } from '~/ui/card';
import { Field } from '~/ui/field';
import { FileIcon } from '~/ui/file-icon';
import { IconButton } from '~/ui/icon-button';
import { Textarea } from '~/ui/input';

import { FilePicker } from './file-picker';
import { DeleteFileButton } from './request-item-card';

/** Maximum number of files that are sent at once. */
const MAX_FILES = 20;

export function SendDocumentForm() {
  const [files, setFiles] = useState<File[]>([]);
  const [note, setNote] = useState('');
  const [error, setError] = useState<string>();
  const sent = useInfiniteQuery(sentFilesQuery());
  const uploads = useUploads(
    (file, options) => sendFile({ itemId: null, note: note.trim() || null, file }, options),
    'enviado',
  );
  const isSending = uploads.sending.length > 0;

  const add = (chosen: readonly File[]) => {
    setError(undefined);
    setFiles((known) => [...known, ...chosen].slice(0, MAX_FILES));
    const over = files.length + chosen.length - MAX_FILES;
    if (over > 0) setError(`Envie até ${MAX_FILES} arquivos de cada vez.`);
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    if (files.length === 0) return setError('Escolha pelo menos um arquivo.');
    setError(undefined);
    setFiles([]);
    const results = await uploads.start(files);
    const failed = files.filter((_, index) => !results[index]);
    // Files that were not sent can be sent again.
    setFiles(failed);
    // The toast of a failure must stay. The list below shows what was sent.
    if (failed.length === 0) {
      toast({
        title: pluralize(files.length, 'arquivo enviado', 'arquivos enviados'),
        description: 'O escritório recebeu e vai arquivar.',
      });
      setNote('');
    }
    await refetchChanged(requestKeys.all);
  };

  return (
    <>
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Card>
          <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-5 p-5">
            <FilePicker label="Arquivos a enviar" disabled={isSending} onFiles={add} />
            {error !== undefined && (
              <p role="alert" className="text-danger text-sm">
                {error}
              </p>
            )}
            {(files.length > 0 || isSending) && (
              <ul aria-label="Arquivos a enviar" className="flex flex-col gap-2">
                {files.map((file, index) => (
                  <li
                    key={`${file.name} ${file.lastModified} ${file.size}`}
                    className="border-border flex items-center gap-3 rounded border py-1 pr-1 pl-3"
                  >
                    <FileIcon type={getExtension(file.name)} size={20} className="shrink-0" />
                    <span className="min-w-0 flex-1 wrap-anywhere">{file.name.normalize('NFC')}</span>
                    <span className="text-muted-foreground text-sm tabular-nums">
                      {formatSize(file.size)}
                    </span>
                    <IconButton
                      label={`Remover ${file.name.normalize('NFC')}`}
                      icon={<X size={18} aria-hidden />}
                      onClick={() => setFiles(files.filter((_, other) => other !== index))}
                    />
                  </li>
                ))}
                <UploadingItems sending={uploads.sending} onCancel={uploads.cancel} />
              </ul>
            )}
            <Field label="Recado (opcional)" hint="Do que se trata, para o escritório saber onde arquivar.">
              {(control) => (
                <Textarea
                  {...control}
                  rows={3}
                  maxLength={500}
                  disabled={isSending}
                  value={note}
                  onChange={({ target }) => setNote(target.value)}
                />
              )}
            </Field>
            <OnlineButton type="submit" pending={isSending} className="sm:self-end">
              Enviar
            </OnlineButton>
          </form>
        </Card>
        <QueryListCard title="Enviados" pages={sent} empty="Nada enviado até agora">
          {(file) => <SentFileRow file={file} />}
        </QueryListCard>
      </div>
      {files.length > 0 && (
        <UnsavedChangesGuard enabled description="Os arquivos escolhidos ainda não foram enviados." />
      )}
    </>
  );
}

function SentFileRow({ file }: { file: SentFile }) {
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-muted-foreground flex flex-wrap items-center gap-x-3 text-sm tabular-nums">
        <time dateTime={file.created_at}>{formatDateTime(file.created_at)}</time>
        {file.filed_at === null ? (
          <Badge tone="primary">Recebido</Badge>
        ) : (
          <Badge tone="success">Arquivado</Badge>
        )}
      </p>
      <ul>
        <ReceivedFileItem file={file} action={file.filed_at === null && <DeleteFileButton file={file} />} />
      </ul>
      {file.note !== null && <p className="text-sm wrap-anywhere whitespace-pre-line">{file.note}</p>}
    </div>
  );
}
