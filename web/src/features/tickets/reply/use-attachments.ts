// Uploads of the attachments of a reply.
import { uploadAttachment, type PendingAttachment } from '~/features/tickets/api/ticket-thread';
import { useUploads } from '~/hooks/use-uploads';
import { uniqueTimestamp } from '~/lib/files/storage-path';

/** Running uploads with their progress. They begin in the order of choice, and `at` keeps it: they may end in any order. */
export function useAttachments(
  ticketId: string,
  sender: string | null,
  onUploaded: (file: PendingAttachment & { at: number }) => void,
) {
  const uploads = useUploads(async (file, options) => {
    const at = uniqueTimestamp();
    const waiting = await uploadAttachment({ sender, ticketId, file, ...options });
    if (waiting) onUploaded({ ...waiting, at });
  }, 'anexado');
  return { ...uploads, start: (files: readonly File[]) => void uploads.start(files) };
}
