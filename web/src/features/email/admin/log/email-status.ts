// Texts about the state of an e-mail.
import type { Email } from '~/features/email/api/log';
import type { EmailStatus } from '~/lib/api/database';
import { formatDate, formatDateTime } from '~/lib/dates';
import type { Tone } from '~/ui/badge';

export const emailStatuses: Record<EmailStatus, { label: string; tone: Tone }> = {
  queued: { label: 'Na fila', tone: 'warning' },
  sending: { label: 'Enviando', tone: 'primary' },
  sent: { label: 'Enviado', tone: 'success' },
  failed: { label: 'Falhou', tone: 'danger' },
  cancelled: { label: 'Cancelado', tone: 'neutral' },
};

export const STATE_OPTIONS = Object.entries(emailStatuses).map(([value, { label }]) => ({ value, label }));

/** Parses the state in the URL, null if it is unknown. */
export function parseEmailStatus(text: string | null): EmailStatus | null {
  return text !== null && isState(text) ? text : null;
}

const isState = (text: string): text is EmailStatus => Object.hasOwn(emailStatuses, text);

/** When an e-mail was sent, null if it was not, or in the minute of its creation. */
export function sentText({ created_at, sent_at }: Pick<Email, 'created_at' | 'sent_at'>): string | null {
  const sent = formatDateTime(sent_at);
  if (sent_at === null || sent === formatDateTime(created_at)) return null;
  const day = formatDate(sent_at);
  return day === formatDate(created_at) ? `enviado${sent.slice(day.length)}` : `enviado em ${sent}`;
}

/** Until when a queued e-mail waits, and why; null if it is due. */
export function delayText({
  state,
  attempts,
  next_attempt_at,
  hold_reason,
}: Pick<Email, 'state' | 'attempts' | 'next_attempt_at' | 'hold_reason'>): string | null {
  if (state !== 'queued' || Date.parse(next_attempt_at) <= Date.now()) return null;
  const time = formatDateTime(next_attempt_at);
  if (attempts > 0) return `nova tentativa em ${time}`;
  if (hold_reason === 'digest') return `espera até ${time}, para sair junto com outros avisos`;
  return `espera até ${time}${hold_reason === 'recipient_limit' ? ': limite de e-mails deste destinatário' : ''}`;
}
