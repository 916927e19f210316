// File input.
import { Upload, X } from 'lucide-react';
import type { Ref } from 'react';

import { getExtension } from '~/lib/files/file-name';
import { formatSize } from '~/lib/format';

import { Dropzone } from './dropzone';
import type { ControlProps } from './field';
import { FileIcon } from './file-icon';
import { IconButton } from './icon-button';

type FileInputProps = ControlProps & {
  file: File | null;
  hint: string;
  accept?: string;
  disabled: boolean;
  onChoose: (file: File) => void;
  /** Receives the error message when dropped items are rejected. */
  onRefuse: (reason: string) => void;
  onRemove: () => void;
  ref?: Ref<HTMLInputElement>;
};

/** An input for one file that shows the chosen file. */
export function FileInput({ file, hint, disabled, onChoose, onRemove, ...control }: FileInputProps) {
  return (
    <Dropzone {...control} disabled={disabled} onFiles={([chosen]) => chosen && onChoose(chosen)}>
      {file ? (
        <div className="flex items-center gap-3 p-4">
          <FileIcon type={getExtension(file.name)} size={28} />
          <div className="min-w-0 flex-1">
            <p className="font-medium wrap-anywhere">{file.name.normalize('NFC')}</p>
            <p className="text-muted-foreground text-sm tabular-nums">{formatSize(file.size)}</p>
          </div>
          <IconButton
            label={`Remover ${file.name.normalize('NFC')}`}
            icon={<X size={20} aria-hidden />}
            disabled={disabled}
            onClick={onRemove}
            className="relative -mr-2"
          />
        </div>
      ) : (
        <DropHint what="Selecione um arquivo" hint={hint} />
      )}
    </Dropzone>
  );
}

type DropHintProps = { what: string; hint: string; compact?: boolean };

/** The prompt of an empty file input. */
export function DropHint({ what, hint, compact = false }: DropHintProps) {
  return (
    <div
      className={
        compact
          ? 'flex flex-wrap items-center justify-center gap-x-3 gap-y-1 px-4 py-3 text-center'
          : 'flex flex-col items-center gap-1 px-4 py-8 text-center'
      }
    >
      <Upload size={24} aria-hidden className="text-muted-foreground mb-1" />
      <p>
        <span className="text-primary font-medium">{what}</span> {/* A finger drags no files. */}
        <span className="pointer-coarse:hidden">ou arraste e solte aqui</span>
      </p>
      <p className="text-muted-foreground text-sm">{hint}</p>
    </div>
  );
}
