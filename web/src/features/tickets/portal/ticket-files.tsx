// Files of a new ticket. They are chosen before the ticket exists, and sent once it does.
import { X } from 'lucide-react';
import { useId } from 'react';

import { CameraInput } from '~/components/camera-input';
import { serverConfig } from '~/lib/api/server-config';
import { getExtension } from '~/lib/files/file-name';
import { SENT_TYPES, validateSentFile } from '~/lib/files/sent-types';
import { formatSizeLimit } from '~/lib/files/validate-file';
import { formatSize, pluralize } from '~/lib/format';
import { toast } from '~/lib/toast';
import { Dropzone } from '~/ui/dropzone';
import { FileIcon } from '~/ui/file-icon';
import { DropHint } from '~/ui/file-input';
import { IconButton } from '~/ui/icon-button';

/** The server takes no more files in a message. */
const MAX_FILES = 20;

function refuse(description: string): void {
  toast({ title: 'Arquivo não anexado', description, variant: 'error' });
}

type TicketFilesProps = { files: readonly File[]; onChange: (files: readonly File[]) => void };

export function TicketFiles({ files, onChange }: TicketFilesProps) {
  const id = useId();
  const limit = serverConfig().max_upload_bytes;
  const add = (chosen: readonly File[]) => {
    const faults: string[] = [];
    const fitting = chosen.filter((file) => {
      const fault = validateSentFile(file, limit);
      if (fault) faults.push(`${file.name}: ${fault}`);
      return !fault;
    });
    const over = files.length + fitting.length - MAX_FILES;
    if (over > 0) {
      faults.push(
        `${pluralize(over, 'arquivo ficou de fora', 'arquivos ficaram de fora')}: um ticket leva até ${MAX_FILES}.`,
      );
    }
    // One toast, because each replaces the one before.
    if (faults.length > 0) refuse(faults.join(' '));
    onChange([...files, ...fitting].slice(0, MAX_FILES));
  };
  return (
    // Announces the chosen files, because focus returns to the file input.
    <div aria-live="polite" className="flex flex-col gap-3">
      <label htmlFor={id} className="font-medium">
        Anexos (opcional)
      </label>
      <CameraInput label="Anexos" variant="secondary" disabled={files.length >= MAX_FILES} onFiles={add} />
      <Dropzone
        id={id}
        aria-describedby={undefined}
        aria-invalid={undefined}
        aria-required={undefined}
        multiple
        disabled={files.length >= MAX_FILES}
        onFiles={add}
        onRefuse={refuse}
      >
        <DropHint
          compact
          what="Escolha os arquivos"
          hint={`Até ${MAX_FILES} arquivos de ${formatSizeLimit(limit)}: ${SENT_TYPES}`}
        />
      </Dropzone>
      {files.length > 0 && (
        <ul aria-label="Anexos do ticket" className="flex flex-col gap-2">
          {files.map((file, at) => (
            <li
              key={`${at}-${file.name}`}
              className="border-border flex items-center gap-3 rounded border py-1 pr-1 pl-3"
            >
              <FileIcon type={getExtension(file.name)} size={20} className="shrink-0" />
              <span className="min-w-0 flex-1 wrap-anywhere">{file.name}</span>
              <span className="text-muted-foreground text-sm tabular-nums">{formatSize(file.size)}</span>
              <IconButton
                label={`Remover ${file.name}`}
                icon={<X size={18} aria-hidden />}
                onClick={() => onChange(files.filter((other) => other !== file))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
