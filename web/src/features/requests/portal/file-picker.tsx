// Choice of files to send: the camera first on a phone, then files.
import { useId } from 'react';

import { CameraInput } from '~/components/camera-input';
import { serverConfig } from '~/lib/api/server-config';
import { SENT_TYPES } from '~/lib/files/sent-types';
import { formatSizeLimit } from '~/lib/files/validate-file';
import { toast } from '~/lib/toast';
import { Dropzone } from '~/ui/dropzone';
import { DropHint } from '~/ui/file-input';

type FilePickerProps = {
  /** The accessible name of the file input. */
  label: string;
  disabled?: boolean;
  onFiles: (files: File[]) => void;
};

export function FilePicker({ label, disabled = false, onFiles }: FilePickerProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-3">
      <CameraInput label={label} disabled={disabled} onFiles={onFiles} />
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <Dropzone
        id={id}
        aria-describedby={undefined}
        aria-invalid={undefined}
        aria-required={undefined}
        multiple
        disabled={disabled}
        onFiles={onFiles}
        onRefuse={(reason) => toast({ title: 'Arquivo não enviado', description: reason, variant: 'error' })}
      >
        <DropHint
          compact
          what="Escolha os arquivos"
          hint={`Até ${formatSizeLimit(serverConfig().max_upload_bytes)} cada: ${SENT_TYPES}`}
        />
      </Dropzone>
    </div>
  );
}
