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

import { identifyFile } from '../recognition/identify-file';
import { type BulkUploadItem, findDestination, isPending } from './bulk-upload-item';

export type BulkUploadTarget = { client: Client; folderId: string; expiresAt: Day | null };

/** Maximum number of concurrent uploads. */
const CONCURRENT_UPLOADS = 2;

export function useBulkUpload(maxBytes: number) {
  const [items, setItems] = useState<BulkUploadItem[]>([]);
  const [running, setRunning] = useState(false);
  const current = useRef(items);
  const controllers = useRef(new Map<string, AbortController>());
  const stopped = useRef(false);
  const mounted = useRef(true);
  /** Resolves when the files that were added are checked. */
  const checks = useRef(Promise.resolve());

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
  // Unmounting aborts the running uploads. Checks end without an effect.
  useEffect(() => {
    const underWay = controllers.current;
    mounted.current = true;
    return () => {
      mounted.current = false;
      stopped.current = true;
      for (const controller of underWay.values()) controller.abort();
    };
  }, []);

  const find = (id: string) => current.current.find((item) => item.id === id);

  const checkItem = async (id: string) => {
    const item = find(id);
    if (!item || !mounted.current) return;
    const identity = await identifyFile(item.file).catch(() => 'failed' as const);
    change(id, { identity });
  };
  /** Checks one file after another, because a PDF takes memory. */
  const check = (ids: readonly string[]) => {
    for (const id of ids) checks.current = checks.current.then(() => checkItem(id));
  };

  const sendItem = async (item: BulkUploadItem, target: BulkUploadTarget) => {
    const destination = findDestination(item, target.client);
    if (destination.kind !== 'client') return;
    const { client } = destination;
    const controller = new AbortController();
    controllers.current.set(item.id, controller);
    try {
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
      change(item.id, { state: sent ? { step: 'sent', client } : { step: 'waiting' } });
    } catch (error) {
      const reason = toUserMessage(error, 'O servidor recusou o arquivo. Tente novamente.');
      change(item.id, { state: { step: 'failed', reason } });
    } finally {
      controllers.current.delete(item.id);
    }
  };

  const send = async (target: BulkUploadTarget) => {
    if (!mounted.current) return;
    stopped.current = false;
    setRunning(true);
    const queue = current.current.filter(isPending).map(({ id }) => id);
    const work = async () => {
      for (;;) {
        const id = stopped.current ? undefined : queue.shift();
        if (id === undefined) return;
        const item = find(id);
        if (item && isPending(item)) await sendItem(item, target);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_UPLOADS }, work));
    setRunning(false);
    await Promise.all([documentKeys.all, folderKeys.all].map(refetchChanged));
  };

  const add = (files: readonly File[]) => {
    const added = files.map((file): BulkUploadItem => ({
      id: randomUuid(),
      file,
      name: defaultDocumentName(file.name),
      validationError: validateFile(file, maxBytes),
      identity: 'checking',
      decision: null,
      state: { step: 'waiting' },
    }));
    set([...current.current, ...added]);
    check(added.filter(isPending).map(({ id }) => id));
  };

  /** Repeats failed checks, and returns the files after all checks, or null if the page was left in the meantime. */
  const finishChecks = async (): Promise<readonly BulkUploadItem[] | null> => {
    const failed = current.current.filter((item) => isPending(item) && item.identity === 'failed');
    check(failed.map(({ id }) => id));
    await checks.current;
    return mounted.current ? current.current : null;
  };

  return {
    items,
    running,
    add,
    finishChecks,
    rename: (id: string, name: string) => change(id, { name }),
    decide: (ids: readonly string[], decision: BulkUploadItem['decision']) =>
      set(current.current.map((item) => (ids.includes(item.id) ? { ...item, decision } : item))),
    /** Takes back the decisions about files that are not sent: they were made for another client. */
    resetDecisions: () =>
      set(current.current.map((item) => (item.state.step === 'sent' ? item : { ...item, decision: null }))),
    remove: (id: string) => set(current.current.filter((item) => item.id !== id)),
    send: (target: BulkUploadTarget) => void send(target),
    stop,
  };
}
