// Hint about the delivery of an invitation, hidden while the SMTP status is unknown.
import { useQuery } from '@tanstack/react-query';

import { smtpStatusQuery } from '~/features/email/api/log';

export function InviteDeliveryHint() {
  const { data: status } = useQuery(smtpStatusQuery());
  if (!status) return null;
  return status.configured
    ? 'O e-mail sai em instantes.'
    : 'Por enquanto o convite fica guardado na fila de e-mails: ele só sai quando o envio de e-mails estiver ativo.';
}
