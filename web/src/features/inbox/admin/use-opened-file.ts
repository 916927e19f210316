// The opened file of the inbox. An own decision leads to the next file, and a colleague's decision does not.
import { useState } from 'react';

import { type InboxFile, inboxFilesQuery } from '~/features/inbox/api';
import type { ReviewGroup } from '~/lib/api/database';
import { queryClient } from '~/lib/api/query-client';

type Opened = {
  /** The file as the list had it last. */
  file: InboxFile;
  at: number;
  group: ReviewGroup;
  /** Whether an own decision about the file is under way. */
  isDeciding: boolean;
  /** Whether an own decision took the file out of the group while the person was typing. */
  isDecided: boolean;
};

export function useOpenedFile(group: ReviewGroup, rows: readonly InboxFile[]) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const at = opened ? rows.findIndex(({ id }) => id === opened.file.id) : -1;
  const listed = rows[at];
  if (opened && listed && (opened.file !== listed || opened.at !== at)) {
    setOpened({ ...opened, file: listed, at });
  }
  const openAt = (index: number) => setOpened(toOpened(group, rows, index));
  return {
    file: opened && (listed ?? opened.file),
    /** Why the file is open although the list does not have it any more. */
    notice: opened && !listed && !opened.isDeciding ? describeLeave(opened) : null,
    open: (id: string) => openAt(rows.findIndex((row) => row.id === id)),
    close: () => setOpened(null),
    /** Opens another file. From a file that left the list, the next one is the one in its place. */
    step: (by: number) => {
      const place = opened?.at ?? -1;
      const index = (listed ? place : by > 0 ? place - 1 : place) + by;
      if (rows[index]) openAt(index);
    },
    /** Opens the file that took the place of one that left the list. */
    leave: () => openAt(Math.min(opened?.at ?? 0, rows.length - 1)),
    /** Called before a request about files. One about a file that left the list is no decision. */
    decide: (ids: readonly string[]) => {
      if (opened && listed && ids.includes(opened.file.id)) setOpened({ ...opened, isDeciding: true });
    },
    /** Called when the lists show the result of a request about files. */
    settle: (ids: readonly string[]) => {
      const list = queryClient.getQueryData(inboxFilesQuery(group).queryKey)?.pages.flat() ?? [];
      const isTyping = hasTypedText();
      setOpened((now) => {
        if (!now?.isDeciding || !ids.includes(now.file.id)) return now;
        if (list.some(({ id }) => id === now.file.id)) return { ...now, isDeciding: false };
        if (isTyping) return { ...now, isDeciding: false, isDecided: true };
        // The last file of its group leads nowhere.
        return now.group === group ? toOpened(group, list, Math.min(now.at, list.length - 1)) : null;
      });
    },
  };
}

function toOpened(group: ReviewGroup, rows: readonly InboxFile[], at: number): Opened | null {
  const file = rows[at];
  return file ? { file, at, group, isDeciding: false, isDecided: false } : null;
}

/** Whether the field with the focus has text that is not saved. */
function hasTypedText(): boolean {
  const field = document.activeElement;
  return field instanceof HTMLInputElement && (field.value !== field.defaultValue || field.validity.badInput);
}

/** The server itself moves files out of the other groups. */
const REVIEWED: readonly ReviewGroup[] = ['doubtful', 'no_owner', 'problem'];

function describeLeave({ group, isDecided }: Opened): string {
  return REVIEWED.includes(group) && !isDecided
    ? 'Um colega já conferiu este arquivo.'
    : 'Este arquivo já saiu deste grupo.';
}
