import { useQuery } from '@tanstack/react-query';

import { smtpStatusQuery } from '~/features/email/api/log';

/** When an invitation leaves: soon, where mails can leave at all. Nothing while that is unknown. */
export function InviteDeliveryHint() {
  const { data: status } = useQuery(smtpStatusQuery());
  if (!status) return null;
  return status.configured
    ? 'O e-mail sai em instantes.'
    : 'Por enquanto o convite fica guardado na fila de e-mails: ele só sai quando o envio de e-mails estiver ativo.';
}
