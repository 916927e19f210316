// Uploads of the attachments of a reply.
import { uploadAttachment, type PendingAttachment } from '~/features/tickets/api/ticket-thread';
import { useUploads } from '~/hooks/use-uploads';

/** Running uploads with their progress. */
export function useAttachments(
  ticketId: string,
  sender: string | null,
  onUploaded: (file: PendingAttachment) => void,
) {
  const uploads = useUploads(async (file, options) => {
    const waiting = await uploadAttachment({ sender, ticketId, file, ...options });
    if (waiting) onUploaded(waiting);
  }, 'anexado');
  return { ...uploads, start: (files: readonly File[]) => void uploads.start(files) };
}
