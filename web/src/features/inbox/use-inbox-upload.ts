// Uploads to the inbox: a queue that a page shows as one line.
import { useEffect, useRef, useState } from 'react';

import { toUserMessage } from '~/lib/api/error-messages';
import { refetchChanged } from '~/lib/api/query-client';
import { validateFile } from '~/lib/files/validate-file';

import { inboxKeys, uploadToInbox } from './api';

/** Maximum number of concurrent uploads. */
const CONCURRENT_UPLOADS = 3;
/** Number of steps in which the progress of one file is shown. */
const FRACTION_STEPS = 20;

export type FailedUpload = { file: File; reason: string; canRetry: boolean };

export function useInboxUpload(maxBytes: number) {
  const [total, setTotal] = useState(0);
  const [done, setDone] = useState(0);
  const [waiting, setWaiting] = useState(0);
  const [fraction, setFraction] = useState(0);
  const [failed, setFailed] = useState<readonly FailedUpload[]>([]);
  const queue = useRef<File[]>([]);
  const running = useRef(0);
  /** The fractions of the present files that are sent. */
  const fractions = useRef(new Map<File, number>());
  const controller = useRef(new AbortController());

  useEffect(() => {
    controller.current = new AbortController();
    const { current } = controller;
    return () => current.abort();
  }, []);

  const fail = (file: File, reason: string, canRetry: boolean) =>
    setFailed((before) => [...before, { file, reason, canRetry }]);

  const showFractions = () => {
    const sum = [...fractions.current.values()].reduce((before, sent) => before + sent, 0);
    // Fewer steps render the page less often.
    setFraction(Math.floor(sum * FRACTION_STEPS) / FRACTION_STEPS);
  };

  const send = async (file: File) => {
    try {
      await uploadToInbox(file, {
        onProgress(sent) {
          fractions.current.set(file, sent);
          showFractions();
        },
        onWait: (isWaiting) => setWaiting((count) => count + (isWaiting ? 1 : -1)),
        signal: controller.current.signal,
      });
    } catch (error) {
      fail(file, toUserMessage(error, 'O servidor recusou o arquivo.'), true);
    }
    fractions.current.delete(file);
    showFractions();
    setDone((count) => count + 1);
  };

  const work = async () => {
    running.current += 1;
    for (;;) {
      const file = queue.current.shift();
      if (file === undefined || controller.current.signal.aborted) break;
      await send(file);
    }
    running.current -= 1;
    if (running.current > 0) return;
    setTotal(0);
    setDone(0);
    await refetchChanged(inboxKeys.all);
  };

  const add = (files: readonly File[]) => {
    const valid = files.filter((file) => {
      const reason = validateFile(file, maxBytes);
      if (reason !== undefined) fail(file, reason, false);
      return reason === undefined;
    });
    queue.current.push(...valid);
    setTotal((count) => count + valid.length);
    const idle = CONCURRENT_UPLOADS - running.current;
    for (let worker = 0; worker < Math.min(idle, valid.length); worker += 1) void work();
  };

  const retry = () => {
    const again = failed.filter(({ canRetry }) => canRetry).map(({ file }) => file);
    setFailed((before) => before.filter(({ canRetry }) => !canRetry));
    add(again);
  };

  return { total, done, fraction, isWaiting: waiting > 0, failed, add, retry, dismiss: () => setFailed([]) };
}
