// Uploads of several files at once, each with its progress.
import { useEffect, useRef, useState } from 'react';

import { toUserMessage } from '~/lib/api/error-messages';
import { serverConfig } from '~/lib/api/server-config';
import { validateFile } from '~/lib/files/validate-file';
import { toast } from '~/lib/toast';
import { randomUuid } from '~/lib/uuid';

export type UploadingFile = { id: string; name: string; progress: number };

export type UploadOptions = { onProgress: (progress: number) => void; signal: AbortSignal };

/** Running uploads. `upload` sends one file; `refused` follows the name of a file in the toast of a failure. */
export function useUploads(upload: (file: File, options: UploadOptions) => Promise<void>, refused: string) {
  const [sending, setSending] = useState<UploadingFile[]>([]);
  const controllers = useRef(new Map<string, AbortController>());

  useEffect(() => {
    const all = controllers.current;
    return () => all.forEach((controller) => controller.abort());
  }, []);

  /** Resolves to whether the file was sent. */
  const start = async (file: File): Promise<boolean> => {
    const name = file.name.normalize('NFC');
    const toastRejection = (description: string) =>
      toast({ title: `${name} ${refused}`, description, variant: 'error' });
    const fault = validateFile(file, serverConfig().max_upload_bytes);
    if (fault) {
      toastRejection(fault);
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
      toastRejection(toUserMessage(error, 'Não foi possível enviar o arquivo. Tente novamente.'));
    }
    controllers.current.delete(id);
    setSending((files) => files.filter((one) => one.id !== id));
    return isSent;
  };

  return {
    sending,
    start: (files: readonly File[]) => Promise.all(files.map(start)),
    cancel: (id: string) => controllers.current.get(id)?.abort(),
  };
}
