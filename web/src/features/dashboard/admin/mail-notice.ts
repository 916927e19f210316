// Notice about e-mails that do not leave, on the dashboard.
import type { Rights } from '~/features/auth/rights';
import { isStuck } from '~/features/email/api/log';
import type { SmtpStatus } from '~/lib/api/database';
import { pluralize } from '~/lib/format';

/** The reason why e-mails do not leave, null if there is none. Other members of the staff cannot act on a reason. */
export function mailNotice(
  status: SmtpStatus,
  { isAdministrator }: Pick<Rights, 'isAdministrator'>,
): string | null {
  const { configured, last_error, waiting } = status;
  const isDown = configured && last_error !== null;
  if (!isDown && !isStuck(status)) return null;
  if (!isAdministrator)
    return 'Os e-mails não estão saindo agora. Os administradores veem o motivo, e o que espera na fila sai sozinho depois.';
  const queued = pluralize(waiting, 'e-mail espera', 'e-mails esperam');
  if (isDown) {
    return `O servidor de e-mail não está enviando: ${last_error}${waiting > 0 ? ` ${queued} na fila.` : ''}`;
  }
  return configured ? `${queued} na fila.` : `O envio de e-mails não está configurado: ${queued} na fila.`;
}
