// State and control of a bulk upload.
import { useEffect, useRef, useState } from 'react';

import type { Client } from '~/features/clients/api/clients';
import { documentKeys } from '~/features/documents/api/documents';
import { uploadDocument } from '~/features/documents/api/upload-document';
import { folderKeys } from '~/features/folders/api';
import { toUserMessage } from '~/lib/api/error-messages';
import { refetchChanged } from '~/lib/api/query-client';
import type { Day } from '~/lib/dates';
import { getExtension } from '~/lib/files/file-name';
import { defaultDocumentName } from '~/lib/files/storage-path';
import { validateFile } from '~/lib/files/validate-file';
import { randomUuid } from '~/lib/uuid';

import { findOtherClientsInPdf } from '../detect-wrong-client';

/** Upload state of a file. */
export type UploadState =
  | { step: 'waiting' }
  | { step: 'checking' }
  /** The PDF text contains tax IDs of other clients. The user must confirm the client. */
  | { step: 'needs-confirmation'; others: Client[] }
  | { step: 'sending'; progress: number }
  | { step: 'sent' }
  | { step: 'failed'; reason: string };

export type BulkUploadItem = {
  id: string;
  file: File;
  name: string;
  /** Message for a file that is too large or empty. Such a file is not uploaded. */
  validationError: string | undefined;
  /** Client of this file, if it differs from the client of the batch. */
  client: Client | null;
  /** True after the user has confirmed the client of the file. */
  confirmed: boolean;
  state: UploadState;
};

export type BulkUploadTarget = { client: Client; folderId: string; expiresAt: Day | null };

/** Maximum number of concurrent uploads. */
const CONCURRENT_UPLOADS = 2;

export function useBulkUpload(maxBytes: number) {
  const [items, setItems] = useState<BulkUploadItem[]>([]);
  const [running, setRunning] = useState(false);
  const current = useRef(items);
  const controllers = useRef(new Map<string, AbortController>());
  const stopped = useRef(false);

  const set = (next: BulkUploadItem[]) => {
    current.current = next;
    setItems(next);
  };
  const change = (id: string, changes: Partial<BulkUploadItem>) =>
    set(current.current.map((item) => (item.id === id ? { ...item, ...changes } : item)));
  const stop = () => {
    stopped.current = true;
    for (const controller of controllers.current.values()) controller.abort();
  };
  // Unmounting aborts the running uploads.
  useEffect(() => {
    const underWay = controllers.current;
    return () => {
      stopped.current = true;
      for (const controller of underWay.values()) controller.abort();
    };
  }, []);

  const sendItem = async (item: BulkUploadItem, target: BulkUploadTarget) => {
    const controller = new AbortController();
    controllers.current.set(item.id, controller);
    const client = item.client ?? target.client;
    try {
      if (!item.confirmed) {
        change(item.id, { state: { step: 'checking' } });
        const others = await findOtherClientsInPdf(item.file, client.id);
        if (others.length > 0) return change(item.id, { state: { step: 'needs-confirmation', others } });
      }
      change(item.id, { state: { step: 'sending', progress: 0 } });
      const sent = await uploadDocument({
        document: {
          clientId: client.id,
          folderId: target.folderId,
          documentName: item.name.trim() === '' ? defaultDocumentName(item.file.name) : item.name.trim(),
          documentType: getExtension(item.file.name),
          expiresAt: target.expiresAt,
          file: item.file,
        },
        onProgress: (progress) => change(item.id, { state: { step: 'sending', progress } }),
        signal: controller.signal,
      });
      change(item.id, { state: sent ? { step: 'sent' } : { step: 'waiting' } });
    } catch (error) {
      const reason = toUserMessage(error, 'O servidor recusou o arquivo. Tente novamente.');
      change(item.id, { state: { step: 'failed', reason } });
    } finally {
      controllers.current.delete(item.id);
    }
  };

  const send = async (target: BulkUploadTarget) => {
    stopped.current = false;
    setRunning(true);
    const queue = current.current.filter(isPending).map(({ id }) => id);
    const work = async () => {
      for (;;) {
        const id = stopped.current ? undefined : queue.shift();
        if (id === undefined) return;
        const item = current.current.find((candidate) => candidate.id === id);
        if (item && isPending(item)) await sendItem(item, target);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_UPLOADS }, work));
    setRunning(false);
    await Promise.all([documentKeys.all, folderKeys.all].map(refetchChanged));
  };

  return {
    items,
    running,
    add: (files: readonly File[]) =>
      set([
        ...current.current,
        ...files.map((file) => ({
          id: randomUuid(),
          file,
          name: defaultDocumentName(file.name),
          validationError: validateFile(file, maxBytes),
          client: null,
          confirmed: false,
          state: { step: 'waiting' as const },
        })),
      ]),
    rename: (id: string, name: string) => change(id, { name }),
    /** Sets the confirmed client of a file. */
    confirmClient: (id: string, client: Client | null) =>
      change(id, { client, confirmed: true, state: { step: 'waiting' } }),
    remove: (id: string) => set(current.current.filter((item) => item.id !== id)),
    send: (target: BulkUploadTarget) => void send(target),
    stop,
  };
}

/** Whether the next run uploads the file. */
export function isPending({ validationError, state: { step } }: BulkUploadItem): boolean {
  return validationError === undefined && (step === 'waiting' || step === 'failed');
}
