// Items of a list of files: those on their way, with progress.
import { X } from 'lucide-react';

import { IconButton } from '~/ui/icon-button';
import { ProgressBar } from '~/ui/progress-bar';

import { UploadGuard } from './upload-guard';

type UploadingItemsProps = {
  sending: readonly { id: string; name: string; progress: number }[];
  onCancel: (id: string) => void;
};

/** While a file is on its way, leaving the page requires a confirmation. */
export function UploadingItems({ sending, onCancel }: UploadingItemsProps) {
  return (
    <>
      {sending.map(({ id, name, progress }) => (
        <li key={id} className="border-border flex items-center gap-3 rounded border py-2 pr-1 pl-3">
          <ProgressBar label={`Enviando ${name}`} value={progress} className="min-w-0 flex-1 wrap-anywhere" />
          <IconButton
            label={`Cancelar o envio de ${name}`}
            icon={<X size={18} aria-hidden />}
            onClick={() => onCancel(id)}
          />
        </li>
      ))}
      {sending.length > 0 && <UploadGuard />}
    </>
  );
}
