// Uploads of the attachments of a reply.
import { useEffect, useRef, useState } from 'react';

import { uploadAttachment, type PendingAttachment } from '~/features/tickets/api/ticket-thread';
import { toUserMessage } from '~/lib/api/error-messages';
import { serverConfig } from '~/lib/api/server-config';
import { validateFile } from '~/lib/files/validate-file';
import { toast } from '~/lib/toast';
import { randomUuid } from '~/lib/uuid';

export type UploadingFile = { id: string; name: string; progress: number };

/** Running uploads with their progress. */
export function useAttachments(
  ticketId: string,
  sender: string,
  onUploaded: (file: PendingAttachment) => void,
) {
  const [sending, setSending] = useState<UploadingFile[]>([]);
  const controllers = useRef(new Map<string, AbortController>());

  useEffect(() => {
    const all = controllers.current;
    return () => all.forEach((controller) => controller.abort());
  }, []);

  const start = async (file: File) => {
    const fault = validateFile(file, serverConfig().max_upload_bytes);
    if (fault) return toastRejection(file, fault);
    const id = randomUuid();
    const controller = new AbortController();
    controllers.current.set(id, controller);
    setSending((files) => [...files, { id, name: file.name.normalize('NFC'), progress: 0 }]);
    const onProgress = (progress: number) =>
      setSending((files) => files.map((one) => (one.id === id ? { ...one, progress } : one)));
    try {
      const waiting = await uploadAttachment({
        sender,
        ticketId,
        file,
        onProgress,
        signal: controller.signal,
      });
      if (waiting) onUploaded(waiting);
    } catch (error) {
      toastRejection(file, toUserMessage(error, 'Não foi possível enviar o arquivo. Tente novamente.'));
    }
    controllers.current.delete(id);
    setSending((files) => files.filter((one) => one.id !== id));
  };

  return {
    sending,
    start: (files: readonly File[]) => void Promise.all(files.map(start)),
    cancel: (id: string) => controllers.current.get(id)?.abort(),
  };
}

function toastRejection(file: File, reason: string): void {
  toast({
    title: `${file.name.normalize('NFC')} não foi anexado`,
    description: reason,
    variant: 'error',
  });
}
