// The selected files of a group of the inbox.
import { useState } from 'react';

import { fetchAllInboxFiles, type InboxFile } from '~/features/inbox/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import type { ReviewGroup } from '~/lib/api/database';

type InboxSelectionOptions = {
  group: ReviewGroup;
  /** The loaded files of the group. */
  files: readonly InboxFile[];
  /** Whether the server has more of them. */
  hasMore: boolean;
  /** Called when the person begins to select. */
  onUse: () => void;
};

export type InboxSelection = ReturnType<typeof useInboxSelection>;

const NO_IDS: ReadonlySet<string> = new Set();

/** A selection is of ids: a file that leaves the group leaves the selection too. Another group has no selection. */
export function useInboxSelection({ group, files, hasMore, onUse }: InboxSelectionOptions) {
  const [selection, setSelection] = useState({ group, ids: NO_IDS });
  const ids = selection.group === group ? selection.ids : NO_IDS;
  const select = (next: ReadonlySet<string>) => setSelection({ group, ids: next });
  const choose = (all: readonly InboxFile[], onSelected?: () => void) => {
    select(new Set(all.map(({ id }) => id)));
    onSelected?.();
  };
  const load = useApiMutation({
    mutationFn: (request: { group: ReviewGroup; onSelected: (() => void) | undefined }) =>
      fetchAllInboxFiles(request.group),
    errorToast: { title: 'Erro ao selecionar' },
    // Another group may be shown meanwhile.
    onSuccessIfMounted: (all, request) => request.group === group && choose(all, request.onSelected),
  });
  return {
    ids,
    files: files.filter(({ id }) => ids.has(id)),
    isAll: !hasMore && files.length > 0 && files.every(({ id }) => ids.has(id)),
    /** Whether files that are not loaded yet are loaded to be selected. */
    isLoading: load.isPending,
    select: (next: ReadonlySet<string>) => {
      onUse();
      select(next);
    },
    clear: () => select(NO_IDS),
    /** Selects all files of the group, also those that are not loaded yet. */
    selectAll: (onSelected?: () => void) => {
      onUse();
      if (hasMore) load.mutate({ group, onSelected });
      else choose(files, onSelected);
    },
  };
}
