// Hint about the delivery of a mail, hidden while the SMTP status is unknown.
import { useQuery } from '@tanstack/react-query';

import { smtpStatusQuery } from '~/features/email/api/log';

export function MailDeliveryHint() {
  const { data: status } = useQuery(smtpStatusQuery());
  if (!status) return null;
  if (status.last_error !== null) {
    return 'O servidor de e-mail não está enviando: o e-mail fica na fila e sai quando o envio voltar.';
  }
  return status.configured
    ? 'O e-mail sai em instantes.'
    : 'Por enquanto o e-mail fica guardado na fila: ele só sai quando o envio de e-mails estiver ativo.';
}
