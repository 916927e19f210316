import { useEffect, useRef, useState } from 'react';

import type { Client } from '~/features/clients/api/clients';
import { documentKeys } from '~/features/documents/api/documents';
import { sendDocument } from '~/features/documents/api/upload-document';
import { folderKeys } from '~/features/folders/api';
import { explain } from '~/lib/api/error-messages';
import { queryClient } from '~/lib/api/query-client';
import type { Day } from '~/lib/dates';
import { extensionOf } from '~/lib/files/file-name';
import { documentNameOf } from '~/lib/files/storage-path';
import { faultOf } from '~/lib/files/validate-file';
import { newId } from '~/lib/uuid';

import { otherClientsIn } from '../detect-wrong-client';

/** Where one of many files stands. */
export type LineState =
  | { step: 'waiting' }
  | { step: 'checking' }
  /** Its text names other clients: somebody must say whose it is. */
  | { step: 'asking'; others: Client[] }
  | { step: 'sending'; share: number }
  | { step: 'sent' }
  | { step: 'failed'; reason: string };

export type BulkLine = {
  id: string;
  file: File;
  name: string;
  /** Too large or empty: it is never sent. */
  fault: string | undefined;
  /** Instead of the client of all the others. */
  client: Client | null;
  /** Somebody has looked at whose it is. */
  confirmed: boolean;
  state: LineState;
};

export type BulkPlace = { client: Client; folderId: string; expiresAt: Day | null };

/** So many files are on their way at once. */
const AT_ONCE = 2;

export function useBulk(maxBytes: number) {
  const [lines, setLines] = useState<BulkLine[]>([]);
  const [running, setRunning] = useState(false);
  const current = useRef(lines);
  const calledOff = useRef(new Map<string, AbortController>());
  const stopped = useRef(false);

  const set = (next: BulkLine[]) => {
    current.current = next;
    setLines(next);
  };
  const change = (id: string, changes: Partial<BulkLine>) =>
    set(current.current.map((line) => (line.id === id ? { ...line, ...changes } : line)));
  const stop = () => {
    stopped.current = true;
    for (const controller of calledOff.current.values()) controller.abort();
  };
  // Leaving the page calls off what is on its way.
  useEffect(() => {
    const underWay = calledOff.current;
    return () => {
      stopped.current = true;
      for (const controller of underWay.values()) controller.abort();
    };
  }, []);

  const sendLine = async (line: BulkLine, place: BulkPlace) => {
    const controller = new AbortController();
    calledOff.current.set(line.id, controller);
    const client = line.client ?? place.client;
    try {
      if (!line.confirmed) {
        change(line.id, { state: { step: 'checking' } });
        const others = await otherClientsIn(line.file, client.id);
        if (others.length > 0) return change(line.id, { state: { step: 'asking', others } });
      }
      change(line.id, { state: { step: 'sending', share: 0 } });
      const sent = await sendDocument({
        document: {
          clientId: client.id,
          folderId: place.folderId,
          documentName: line.name.trim() === '' ? documentNameOf(line.file.name) : line.name.trim(),
          documentType: extensionOf(line.file.name),
          expiresAt: place.expiresAt,
          file: line.file,
        },
        onProgress: (share) => change(line.id, { state: { step: 'sending', share } }),
        signal: controller.signal,
      });
      change(line.id, { state: sent ? { step: 'sent' } : { step: 'waiting' } });
    } catch (error) {
      const reason = explain(error, 'O servidor recusou o arquivo. Tente novamente.');
      change(line.id, { state: { step: 'failed', reason } });
    } finally {
      calledOff.current.delete(line.id);
    }
  };

  const send = async (place: BulkPlace) => {
    stopped.current = false;
    setRunning(true);
    const queue = current.current.filter(isToSend).map(({ id }) => id);
    const work = async () => {
      for (;;) {
        const id = stopped.current ? undefined : queue.shift();
        if (id === undefined) return;
        const line = current.current.find((candidate) => candidate.id === id);
        if (line && isToSend(line)) await sendLine(line, place);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    setRunning(false);
    await Promise.all(
      [documentKeys.all, folderKeys.all].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
    );
  };

  return {
    lines,
    running,
    add: (files: readonly File[]) =>
      set([
        ...current.current,
        ...files.map((file) => ({
          id: newId(),
          file,
          name: documentNameOf(file.name),
          fault: faultOf(file, maxBytes),
          client: null,
          confirmed: false,
          state: { step: 'waiting' as const },
        })),
      ]),
    rename: (id: string, name: string) => change(id, { name }),
    /** Says whose a file is, after it was asked about. */
    settle: (id: string, client: Client | null) =>
      change(id, { client, confirmed: true, state: { step: 'waiting' } }),
    remove: (id: string) => set(current.current.filter((line) => line.id !== id)),
    send: (place: BulkPlace) => void send(place),
    stop,
  };
}

/** Whether a file goes out with the next sending. */
export function isToSend({ fault, state: { step } }: BulkLine): boolean {
  return fault === undefined && (step === 'waiting' || step === 'failed');
}
