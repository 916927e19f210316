import { type DragEvent, type ReactNode, type Ref, useState } from 'react';

import { cn } from './cn';
import type { ControlProps } from './field';

type DropzoneProps = ControlProps & {
  multiple?: boolean;
  accept?: string | undefined;
  disabled: boolean;
  onFiles: (files: File[]) => void;
  /** What was dropped cannot be taken. */
  onRefuse: (reason: string) => void;
  ref?: Ref<HTMLInputElement> | null;
  children: ReactNode;
};

/** Takes files, by the browser's own file button or by being dropped on. */
export function Dropzone({
  multiple = false,
  disabled,
  onFiles,
  onRefuse,
  ref,
  children,
  ...control
}: DropzoneProps) {
  const [over, setOver] = useState(false);

  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (disabled) return;
    const items = [...event.dataTransfer.items];
    const files = items.map((item) => item.getAsFile()).filter((file) => file !== null);
    if (files.length === 0) return;
    if (files.length > 1 && !multiple) onRefuse('Envie um arquivo de cada vez.');
    else if (items.some((item) => item.webkitGetAsEntry()?.isDirectory))
      onRefuse('Escolha um arquivo, não uma pasta.');
    else onFiles(files);
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
        'relative rounded border border-dashed transition-colors has-focus-visible:border-ring has-focus-visible:outline-2 has-focus-visible:outline-ring',
        over ? 'bg-primary-subtle' : 'bg-card',
        over ? 'border-primary' : control['aria-invalid'] ? 'border-danger' : 'border-input/60',
      )}
    >
      {/* The input lies unseen over the whole field, so that a press anywhere on it, or a key, opens its window. */}
      <input
        {...control}
        {...(ref && { ref })}
        type="file"
        multiple={multiple}
        disabled={disabled}
        onChange={({ target }) => {
          const chosen = [...(target.files ?? [])];
          if (chosen.length > 0) onFiles(chosen);
          // Choosing the same file again must count as a change.
          target.value = '';
        }}
        className="absolute inset-0 size-full cursor-pointer opacity-0 disabled:cursor-not-allowed"
      />
      {children}
    </div>
  );
}
