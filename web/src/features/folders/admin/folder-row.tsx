// Row of the folder list.
import { Archive, ArchiveRestore, ArrowDown, ArrowUp, GripVertical, Pencil, Trash2 } from 'lucide-react';
import type { ComponentProps } from 'react';

import { folderKindLabels } from '~/features/documents/document-labels';
import type { AdminFolder } from '~/features/folders/admin-api';
import { FolderIcon } from '~/features/folders/components/folder-icon';
import { pluralize } from '~/lib/format';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { cn } from '~/ui/cn';
import { IconButton } from '~/ui/icon-button';

type FolderRowProps = {
  folder: AdminFolder;
  isFirst: boolean;
  isLast: boolean;
  dragged: boolean;
  grip: ComponentProps<'span'>;
  onMove: (by: -1 | 1) => void;
  onEdit: () => void;
  onArchive: () => void;
  onDelete: () => void;
};

/** Sortable row: a drag handle for pointers and two arrow buttons for every input device. */
export function FolderRow(row: FolderRowProps) {
  const { folder, isFirst, isLast, dragged, grip, onMove, onEdit, onArchive, onDelete } = row;
  const { name, icon, kind, archived, documents, retention_months: months, auto_delete } = folder;
  return (
    <li
      className={cn(
        'flex flex-col gap-2 bg-card py-3 pr-4 pl-2 md:flex-row md:items-center',
        dragged && 'relative z-10 shadow-popover',
      )}
    >
      <div className="flex min-w-0 flex-1 items-center gap-1">
        <span
          {...grip}
          aria-hidden
          data-slot="grip"
          className="touch-target text-muted-foreground inline-flex shrink-0 cursor-grab touch-none items-center justify-center active:cursor-grabbing max-sm:hidden"
        >
          <GripVertical size={20} />
        </span>
        <IconButton
          label={`Mover ${name} para cima`}
          icon={<ArrowUp size={18} aria-hidden />}
          disabled={isFirst}
          onClick={() => onMove(-1)}
        />
        <IconButton
          label={`Mover ${name} para baixo`}
          icon={<ArrowDown size={18} aria-hidden />}
          disabled={isLast}
          onClick={() => onMove(1)}
        />
        <FolderIcon name={icon} className="text-primary mx-2 shrink-0" />
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
            <span className="wrap-anywhere">{name}</span>
            {archived && <Badge tone="neutral">Arquivada</Badge>}
            {folder.legal_hold_reason !== null && <Badge tone="primary">Guarda legal</Badge>}
          </p>
          <p className="text-muted-foreground text-sm tabular-nums">
            {pluralize(documents, 'documento', 'documentos')}
            {kind && ` · ${folderKindLabels[kind]}`}
            {months !== null &&
              ` · guardar por ${pluralize(months, 'mês', 'meses')}${auto_delete ? ', depois descartar' : ''}`}
          </p>
        </div>
      </div>
      <div className="flex flex-wrap md:-mr-4">
        <Button
          variant="quiet"
          icon={<Pencil size={18} aria-hidden />}
          aria-label={`Editar ${name}`}
          onClick={onEdit}
        >
          Editar
        </Button>
        <Button
          variant="quiet"
          icon={archived ? <ArchiveRestore size={18} aria-hidden /> : <Archive size={18} aria-hidden />}
          aria-label={`${archived ? 'Restaurar' : 'Arquivar'} ${name}`}
          onClick={onArchive}
        >
          {archived ? 'Restaurar' : 'Arquivar'}
        </Button>
        <Button
          variant="quiet-danger"
          icon={<Trash2 size={18} aria-hidden />}
          aria-label={`Excluir ${name}`}
          onClick={onDelete}
        >
          Excluir
        </Button>
      </div>
    </li>
  );
}
