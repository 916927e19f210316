import { useQuery } from '@tanstack/react-query';

import { mailStatusQuery } from '~/features/email/api/log';

/** When an invitation leaves: soon, where mails can leave at all. Nothing while that is unknown. */
export function MailsWait() {
  const { data: status } = useQuery(mailStatusQuery());
  if (!status) return null;
  return status.configured
    ? 'O e-mail sai em instantes.'
    : 'Por enquanto o convite fica guardado na fila de e-mails: ele só sai quando o envio de e-mails estiver ativo.';
}
