// Drop zone for files.
import { type DragEvent, type ReactNode, type Ref, useState } from 'react';

import { cn } from './cn';
import type { ControlProps } from './field';

type DropzoneProps = ControlProps & {
  multiple?: boolean;
  /** Whether a dropped folder is accepted as the files in it. */
  folders?: boolean;
  accept?: string | undefined;
  disabled: boolean;
  onFiles: (files: File[]) => void;
  /** Receives the error message when dropped items are rejected. */
  onRefuse: (reason: string) => void;
  ref?: Ref<HTMLInputElement> | null;
  children: ReactNode;
};

/** A file input that also accepts dropped files. */
export function Dropzone({
  multiple = false,
  folders = false,
  disabled,
  onFiles,
  onRefuse,
  ref,
  children,
  ...control
}: DropzoneProps) {
  const [isOver, setIsOver] = useState(false);

  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    if (disabled) return;
    const items = [...event.dataTransfer.items];
    if (folders) {
      void droppedFiles(event.dataTransfer).then((all) => all.length > 0 && onFiles(all));
      return;
    }
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
        setIsOver(!disabled);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
      className={cn(
        'relative rounded border border-dashed transition-colors has-focus-visible:border-ring has-focus-visible:outline-2 has-focus-visible:outline-ring',
        isOver ? 'bg-primary-subtle' : disabled ? 'bg-muted' : 'bg-card',
        isOver ? 'border-primary' : control['aria-invalid'] ? 'border-danger' : 'border-input/60',
      )}
    >
      {/* The transparent input covers the whole field, so a click anywhere opens the file picker. */}
      <input
        {...control}
        {...(ref && { ref })}
        type="file"
        multiple={multiple}
        disabled={disabled}
        onChange={({ target }) => {
          const chosen = [...(target.files ?? [])];
          if (chosen.length > 0) onFiles(chosen);
          // Without the reset, choosing the same file again would fire no event.
          target.value = '';
        }}
        className="absolute inset-0 size-full cursor-pointer opacity-0 disabled:cursor-not-allowed"
      />
      {children}
    </div>
  );
}

/** The dropped files, and those in dropped folders. Call it while the event is handled. */
export function droppedFiles({ items }: DataTransfer): Promise<File[]> {
  // The entries exist only while the event is handled, the files in them come later.
  return filesOf([...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null));
}

/** The files of entries and of the folders among them. */
async function filesOf(entries: readonly FileSystemEntry[]): Promise<File[]> {
  const files: File[] = [];
  for (const entry of entries) {
    if (isFile(entry)) files.push(await new Promise<File>((resolve, reject) => entry.file(resolve, reject)));
    else if (isFolder(entry)) files.push(...(await filesOf(await childrenOf(entry))));
  }
  return files;
}

/** The content of a folder. The browser returns it in parts. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return children;
    children.push(...part);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
