// Sends the files of a new ticket, as its first message after the opening text.
import { type PendingAttachment, sendReply, uploadAttachment } from '~/features/tickets/api/ticket-thread';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { toUserMessage } from '~/lib/api/error-messages';
import { refetchChanged } from '~/lib/api/query-client';
import { pluralize } from '~/lib/format';
import { toast, type ToastMessage } from '~/lib/toast';
import { randomUuid } from '~/lib/uuid';

const FALLBACK = 'Não foi possível enviar o arquivo. Tente novamente.';

type TicketFileUpload = { ticketId: string; files: readonly File[] };

/**
 * Sends what can be sent. Meanwhile a toast says so, and closing the tab requires a confirmation. A last toast names the
 * files that were not sent, with the reason of the last one.
 */
export async function sendTicketFiles({ ticketId, files }: TicketFileUpload): Promise<void> {
  toast({
    title: 'Ticket criado',
    description: `Enviando ${pluralize(files.length, 'anexo', 'anexos')}… Não feche o portal.`,
    variant: 'progress',
  });
  addEventListener('beforeunload', preventUnload);
  const failure = await sendAll({ ticketId, files });
  removeEventListener('beforeunload', preventUnload);
  toast(failure ?? { title: pluralize(files.length, 'anexo enviado', 'anexos enviados') });
  await refetchChanged(ticketKeys.all);
}

function preventUnload(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Resolves to the notice about files that were not sent, or to null. */
async function sendAll({ ticketId, files }: TicketFileUpload): Promise<ToastMessage | null> {
  const waiting: PendingAttachment[] = [];
  let failed: string[] = [];
  let reason = FALLBACK;
  for (const file of files) {
    const upload = { sender: null, ticketId, file, onProgress() {}, signal: new AbortController().signal };
    try {
      // In sequence, to keep the order of the selection.
      // oxlint-disable-next-line eslint/no-await-in-loop
      const uploaded = await uploadAttachment(upload);
      if (uploaded) waiting.push(uploaded);
    } catch (error) {
      failed.push(file.name);
      reason = toUserMessage(error, FALLBACK);
    }
  }
  if (waiting.length > 0) {
    const body = waiting.length === 1 ? 'Arquivo em anexo.' : 'Arquivos em anexo.';
    try {
      await sendReply({ ticketId, idempotencyKey: randomUuid(), body, files: waiting, internal: false });
    } catch (error) {
      failed = files.map(({ name }) => name);
      reason = toUserMessage(error, FALLBACK);
    }
  }
  if (failed.length === 0) return null;
  return {
    title: `${pluralize(failed.length, 'arquivo não foi enviado', 'arquivos não foram enviados')} com o ticket`,
    description: `${failed.join(', ')}: ${reason} Para tentar de novo, abra o ticket.`,
    variant: 'error',
  };
}
