// Uploads of several files at once, each with its progress.
import { useEffect, useRef, useState } from 'react';

import { toUserMessage } from '~/lib/api/error-messages';
import { serverConfig } from '~/lib/api/server-config';
import { validateSentFile } from '~/lib/files/sent-types';
import { toast } from '~/lib/toast';
import { randomUuid } from '~/lib/uuid';

export type UploadingFile = { id: string; name: string; progress: number };

export type UploadOptions = { onProgress: (progress: number) => void; signal: AbortSignal };

type Failure = { name: string; reason: string };

/** Running uploads. `upload` sends one file; `sentWord` is what the toast says of a failed one. */
export function useUploads(
  upload: (file: File, options: UploadOptions) => Promise<void>,
  sentWord: 'enviado' | 'anexado',
) {
  const [sending, setSending] = useState<UploadingFile[]>([]);
  const controllers = useRef(new Map<string, AbortController>());

  useEffect(() => {
    const all = controllers.current;
    return () => all.forEach((controller) => controller.abort());
  }, []);

  /** Resolves to whether the file was sent. */
  const startOne = async (file: File, refuse: (failure: Failure) => void): Promise<boolean> => {
    const name = file.name.normalize('NFC');
    const fault = validateSentFile(file, serverConfig().max_upload_bytes);
    if (fault) {
      refuse({ name, reason: fault });
      return false;
    }
    const id = randomUuid();
    const controller = new AbortController();
    controllers.current.set(id, controller);
    setSending((files) => [...files, { id, name, progress: 0 }]);
    const onProgress = (progress: number) =>
      setSending((files) => files.map((one) => (one.id === id ? { ...one, progress } : one)));
    let isSent = false;
    try {
      await upload(file, { onProgress, signal: controller.signal });
      isSent = !controller.signal.aborted;
    } catch (error) {
      refuse({ name, reason: toUserMessage(error, 'Não foi possível enviar o arquivo. Tente novamente.') });
    }
    controllers.current.delete(id);
    setSending((files) => files.filter((one) => one.id !== id));
    return isSent;
  };

  /** Resolves to whether each file was sent. A toast replaces the one before, so each names all failures so far. */
  const start = (files: readonly File[]): Promise<boolean[]> => {
    const failures: Failure[] = [];
    const refuse = (failure: Failure) => {
      failures.push(failure);
      toast({ ...describeFailures(failures, sentWord), variant: 'error' });
    };
    return Promise.all(files.map((file) => startOne(file, refuse)));
  };

  return { sending, start, cancel: (id: string) => controllers.current.get(id)?.abort() };
}

function describeFailures(failures: readonly Failure[], sentWord: string) {
  const [first, ...others] = failures;
  if (first && others.length === 0) {
    return { title: `${first.name} não foi ${sentWord}`, description: first.reason };
  }
  const names = new Map<string, string[]>();
  for (const { name, reason } of failures) names.set(reason, [...(names.get(reason) ?? []), name]);
  return {
    title: `${failures.length} arquivos não foram ${sentWord}s`,
    description: Array.from(names, ([reason, files]) => `${files.join(', ')}: ${reason}`).join(' '),
  };
}
