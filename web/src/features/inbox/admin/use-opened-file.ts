// The opened file of the inbox. An own decision leads to the next file, and a colleague's decision does not.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { type InboxFile, inboxFileQuery, inboxFilesQuery } from '~/features/inbox/api';
import type { ReviewGroup } from '~/lib/api/database';
import { queryClient } from '~/lib/api/query-client';

type Opened = {
  /** The file as the list had it last. */
  file: InboxFile;
  at: number;
  /** The group in which it was opened. */
  group: ReviewGroup;
  /** Whether it stays open after the next own decision, because it left the list before or the person types in it. */
  isKept: boolean;
  /** Whether an own decision moved it to the files in doubt, where it waits for further ones. */
  isUnfinished: boolean;
};

type State = {
  opened: Opened | null;
  /** Number of own requests under way, by file. A file with former requests has 0. */
  requests: ReadonlyMap<string, number>;
};

export function useOpenedFile(group: ReviewGroup, rows: readonly InboxFile[]) {
  const [{ opened, requests }, setState] = useState<State>({ opened: null, requests: new Map() });
  const at = opened ? rows.findIndex(({ id }) => id === opened.file.id) : -1;
  const listed = rows[at];
  const setOpened = (next: Opened | null) => setState((now) => ({ ...now, opened: next }));
  if (opened && listed && (opened.file !== listed || opened.at !== at)) {
    setOpened({ ...opened, file: listed, at });
  }
  const isUnlisted = opened !== null && listed === undefined;
  const { data: unlisted } = useQuery({ ...inboxFileQuery(opened?.file.id ?? ''), enabled: isUnlisted });
  const openAt = (index: number) => setOpened(toOpened(group, rows, index));
  return {
    file: opened && (listed ?? unlisted ?? opened.file),
    /** Why the file is open although it is not in the group any more. */
    notice: isUnlisted ? describeLeave(opened, unlisted, requests.get(opened.file.id)) : null,
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
    /** Called before a request about files. */
    decide: (ids: readonly string[]) =>
      setState((now) => {
        const isKept = isUnlisted && now.opened?.isUnfinished === false && ids.includes(now.opened.file.id);
        return {
          opened: now.opened && isKept ? { ...now.opened, isKept } : now.opened,
          requests: countRequests(now.requests, ids, 1),
        };
      }),
    /** Called when the lists show the result of a request about files. */
    settle: async (ids: readonly string[]) => {
      const list = queryClient.getQueryData(inboxFilesQuery(group).queryKey)?.pages.flat() ?? [];
      const isTyping = hasTypedText();
      const isUnfinished = await waitsForMore(group, list, ids);
      setState((now) => {
        const next = { ...now, requests: countRequests(now.requests, ids, -1) };
        const { opened: open } = now;
        if (!open || !ids.includes(open.file.id) || (next.requests.get(open.file.id) ?? 0) > 0) return next;
        if (isUnfinished) return { ...next, opened: { ...open, isUnfinished } };
        if (open.isKept || list.some(({ id }) => id === open.file.id)) return next;
        if (isTyping) return { ...next, opened: { ...open, isKept: true } };
        // The last file of its group leads nowhere.
        const isGroup = open.group === group;
        return {
          ...next,
          opened: isGroup ? toOpened(group, list, Math.min(open.at, list.length - 1)) : null,
        };
      });
    },
  };
}

function toOpened(group: ReviewGroup, rows: readonly InboxFile[], at: number): Opened | null {
  const file = rows[at];
  return file ? { file, at, group, isKept: false, isUnfinished: false } : null;
}

function countRequests(counts: State['requests'], ids: readonly string[], by: number): State['requests'] {
  return new Map([...counts, ...ids.map((id) => [id, Math.max((counts.get(id) ?? 0) + by, 0)] as const)]);
}

/** Whether the field with the focus has text that is not saved. */
function hasTypedText(): boolean {
  const field = document.activeElement;
  if (!(field instanceof HTMLInputElement) || field.type === 'checkbox') return false;
  // The text of a list of choices is its own default value.
  const isChoosing = field.getAttribute('aria-expanded') === 'true';
  return isChoosing || field.value !== field.defaultValue || field.validity.badInput;
}

/**
 * Whether a single file left its group for the files in doubt, because it lacks more than what was chosen, such as a
 * folder after the client. Its panel stays open for that.
 */
async function waitsForMore(
  group: ReviewGroup,
  list: readonly InboxFile[],
  ids: readonly string[],
): Promise<boolean> {
  const [id] = ids;
  if (id === undefined || ids.length > 1 || !INCOMPLETE.includes(group)) return false;
  if (list.some((row) => row.id === id)) return false;
  const file = await queryClient.fetchQuery(inboxFileQuery(id)).catch(() => null);
  return file?.review_group === 'doubtful';
}

/** Groups of files that lack a client. */
const INCOMPLETE: readonly ReviewGroup[] = ['no_owner', 'problem'];

/** The server itself moves files out of the other groups. */
const REVIEWED: readonly ReviewGroup[] = ['doubtful', 'no_owner', 'problem'];

/** `file` is the file now: null if it was discarded, undefined while it is read. `requests` are the own ones. */
function describeLeave(
  { group, isUnfinished }: Opened,
  file: InboxFile | null | undefined,
  requests: number | undefined,
): string | null {
  // Beyond the loaded part of its group it is still there.
  if (file === undefined || file?.review_group === group || (requests ?? 0) > 0) return null;
  if (isUnfinished && file?.review_group === 'doubtful') return null;
  if (file === null) return 'Este arquivo foi descartado.';
  return REVIEWED.includes(group) && requests === undefined
    ? 'Um colega já conferiu este arquivo.'
    : 'Este arquivo já saiu deste grupo.';
}
