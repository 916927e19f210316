import { useEffect, useRef, useState } from 'react';

import { sendAttachment, type WaitingFile } from '~/features/tickets/api/ticket';
import { explain } from '~/lib/api/error-messages';
import { config } from '~/lib/api/server-config';
import { faultOf } from '~/lib/files/validate-file';
import { toast } from '~/lib/toast';
import { newId } from '~/lib/uuid';

export type FileOnItsWay = { id: string; name: string; share: number };

/** The files that are being put where they wait for their message; each tells how much of it has gone out. */
export function useAttachments(ticketId: string, sender: string, arrived: (file: WaitingFile) => void) {
  const [sending, setSending] = useState<FileOnItsWay[]>([]);
  const lines = useRef(new Map<string, AbortController>());

  useEffect(() => {
    const all = lines.current;
    return () => all.forEach((line) => line.abort());
  }, []);

  const start = async (file: File) => {
    const fault = faultOf(file, config().max_upload_bytes);
    if (fault) return refuse(file, fault);
    const id = newId();
    const line = new AbortController();
    lines.current.set(id, line);
    setSending((files) => [...files, { id, name: file.name.normalize('NFC'), share: 0 }]);
    const onProgress = (share: number) =>
      setSending((files) => files.map((one) => (one.id === id ? { ...one, share } : one)));
    try {
      const waiting = await sendAttachment({ sender, ticketId, file, onProgress, signal: line.signal });
      if (waiting) arrived(waiting);
    } catch (error) {
      refuse(file, explain(error, 'Não foi possível enviar o arquivo. Tente novamente.'));
    }
    lines.current.delete(id);
    setSending((files) => files.filter((one) => one.id !== id));
  };

  return {
    sending,
    start: (files: readonly File[]) => void Promise.all(files.map(start)),
    cancel: (id: string) => lines.current.get(id)?.abort(),
  };
}

function refuse(file: File, reason: string): void {
  toast({ title: `${file.name.normalize('NFC')} não foi anexado`, description: reason, tone: 'destructive' });
}
