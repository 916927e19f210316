// Actions on the selected documents of the trash.
import { ArchiveRestore, Trash2 } from 'lucide-react';
import { useState } from 'react';

import type { Selection } from '~/components/list-table/bulk-bar';
import { Button } from '~/ui/button';

import { PurgeDialog } from './purge-dialog';
import { useRestore } from './use-restore';

export function TrashBulkActions({ ids, clear }: Selection) {
  const [asks, setAsks] = useState(false);
  const { restore, isPending, dialog } = useRestore(clear);
  return (
    <>
      <Button
        variant="quiet"
        icon={<ArchiveRestore size={20} aria-hidden />}
        pending={isPending}
        onClick={() => restore(ids)}
      >
        Restaurar
      </Button>
      <Button variant="quiet-danger" icon={<Trash2 size={20} aria-hidden />} onClick={() => setAsks(true)}>
        <span>
          Excluir<span className="max-sm:hidden"> definitivamente</span>
        </span>
      </Button>
      {dialog}
      <PurgeDialog documents={asks ? { ids } : null} onClose={() => setAsks(false)} onDone={clear} />
    </>
  );
}
