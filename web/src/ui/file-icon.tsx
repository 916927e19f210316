// Icons of file kinds.
import { File, FileImage, FileSpreadsheet, FileText, FileType } from 'lucide-react';

import { getExtension } from '~/lib/files/file-name';

import { cn } from './cn';

export type FileKind = 'pdf' | 'word' | 'sheet' | 'image' | 'text' | 'other';

const kinds: Record<string, FileKind> = {
  pdf: 'pdf',
  doc: 'word',
  docx: 'word',
  xls: 'sheet',
  xlsx: 'sheet',
  jpg: 'image',
  jpeg: 'image',
  png: 'image',
  webp: 'image',
  gif: 'image',
  txt: 'text',
  csv: 'text',
};

/** The kind of a file by its type, or by the extension of its path if the type is free text. */
export function fileKind(type: string, path?: string | null): FileKind {
  return kinds[type.trim().toLowerCase()] ?? kinds[getExtension(path ?? '')] ?? 'other';
}

const variants = {
  pdf: { Icon: FileText, color: 'text-danger' },
  word: { Icon: FileType, color: 'text-file-document' },
  sheet: { Icon: FileSpreadsheet, color: 'text-file-sheet' },
  image: { Icon: FileImage, color: 'text-file-image' },
  text: { Icon: FileText, color: 'text-muted-foreground' },
  other: { Icon: File, color: 'text-muted-foreground' },
} satisfies Record<FileKind, unknown>;

type FileIconProps = { type: string; path?: string | null; size?: number; className?: string };

export function FileIcon({ type, path = null, size = 24, className }: FileIconProps) {
  const { Icon, color } = variants[fileKind(type, path)];
  return <Icon size={size} aria-hidden className={cn(color, className)} />;
}
