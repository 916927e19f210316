import { Upload, X } from 'lucide-react';
import { type DragEvent, type Ref, useState } from 'react';

import { extensionOf } from '~/lib/file-name';
import { formatSize } from '~/lib/format';
import { IconButton } from '~/ui/button';
import { cn } from '~/ui/class-names';
import type { ControlProps } from '~/ui/field';
import { FileIcon } from '~/ui/file-icon';

type FileDropProps = ControlProps & {
  file: File | null;
  hint: string;
  disabled: boolean;
  onChoose: (file: File) => void;
  /** What was dropped cannot be taken as one file. */
  onRefuse: (reason: string) => void;
  onRemove: () => void;
  ref: Ref<HTMLInputElement>;
};

/** Takes one file, by the browser's own file button or by being dropped on. */
export function FileDrop({
  file,
  hint,
  disabled,
  onChoose,
  onRefuse,
  onRemove,
  ref,
  ...control
}: FileDropProps) {
  const [over, setOver] = useState(false);

  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (disabled) return;
    const [item, ...others] = event.dataTransfer.items;
    const dropped = item?.getAsFile();
    if (!item || !dropped) return;
    if (others.length > 0) onRefuse('Envie um arquivo de cada vez.');
    else if (item.webkitGetAsEntry()?.isDirectory) onRefuse('Escolha um arquivo, não uma pasta.');
    else onChoose(dropped);
  };

  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(!disabled);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={cn(
        'relative rounded border border-dashed border-control/60 transition-colors has-focus-visible:border-focus has-focus-visible:outline-2 has-focus-visible:outline-focus',
        over ? 'border-primary bg-primary-tint' : 'bg-surface',
        control['aria-invalid'] && 'border-danger',
      )}
    >
      {/* The input lies unseen over the whole field, so that a press anywhere on it, or a key, opens its window. */}
      <input
        {...control}
        ref={ref}
        type="file"
        disabled={disabled}
        onChange={({ target }) => {
          const chosen = target.files?.[0];
          if (chosen) onChoose(chosen);
          // Choosing the same file again must count as a change.
          target.value = '';
        }}
        className="absolute inset-0 size-full cursor-pointer opacity-0 disabled:cursor-not-allowed"
      />
      {file ? (
        <div className="flex items-center gap-3 p-4">
          <FileIcon type={extensionOf(file.name)} size={28} />
          <div className="min-w-0 flex-1">
            <p className="font-medium wrap-anywhere">{file.name.normalize('NFC')}</p>
            <p className="tabular text-muted text-sm">{formatSize(file.size)}</p>
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
        <div className="flex flex-col items-center gap-1 px-4 py-8 text-center">
          <Upload size={24} aria-hidden className="text-muted mb-1" />
          <p>
            <span className="text-primary font-medium">Selecione um arquivo</span> ou arraste e solte aqui
          </p>
          <p className="text-muted text-sm">{hint}</p>
        </div>
      )}
    </div>
  );
}
