// Choice of files to send: the camera first on a phone, then files.
import { Camera } from 'lucide-react';
import { useId } from 'react';

import { serverConfig } from '~/lib/api/server-config';
import { formatSizeLimit } from '~/lib/files/validate-file';
import { toast } from '~/lib/toast';
import { buttonClasses } from '~/ui/button';
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
      {/* Computers have no camera to take pictures of paper with. */}
      <div
        className={buttonClasses(
          'primary',
          'relative w-full has-focus-visible:outline-2 has-focus-visible:outline-ring has-disabled:opacity-60 pointer-fine:hidden',
        )}
      >
        <Camera size={20} aria-hidden />
        <label htmlFor={`${id}-camera`}>
          Tirar foto<span className="sr-only">: {label}</span>
        </label>
        <input
          id={`${id}-camera`}
          type="file"
          accept="image/*"
          capture="environment"
          disabled={disabled}
          onChange={({ target }) => {
            onFiles([...(target.files ?? [])]);
            target.value = '';
          }}
          className="absolute inset-0 size-full cursor-pointer opacity-0"
        />
      </div>
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
          hint={`Até ${formatSizeLimit(serverConfig().max_upload_bytes)} cada`}
        />
      </Dropzone>
    </div>
  );
}
