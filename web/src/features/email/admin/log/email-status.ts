// Labels of the e-mail states.
import type { EmailStatus } from '~/lib/api/database';
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
