/** The portal does not send mails yet; what waits is sent once it does. */
export const MAILS_WAIT =
  'Por enquanto o convite fica guardado na fila de e-mails: ele só sai quando o envio de e-mails estiver ativo.';
