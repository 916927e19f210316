// Notice about e-mails that do not leave, on the dashboard.
import { isStuck } from '~/features/email/api/log';
import type { SmtpStatus } from '~/lib/api/database';
import { pluralize } from '~/lib/format';

/** The reason why e-mails do not leave, null if there is none. */
export function mailNotice(status: SmtpStatus): string | null {
  const { configured, last_error, waiting } = status;
  const queued = pluralize(waiting, 'e-mail espera', 'e-mails esperam');
  if (configured && last_error !== null) {
    return `O servidor de e-mail não está enviando: ${last_error}${waiting > 0 ? ` ${queued} na fila.` : ''}`;
  }
  if (!isStuck(status)) return null;
  return configured ? `${queued} na fila.` : `O envio de e-mails não está configurado: ${queued} na fila.`;
}
