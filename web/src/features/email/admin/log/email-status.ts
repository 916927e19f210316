import type { MailState } from '~/lib/api/database.types';
import type { Tone } from '~/ui/badge';

export const mailStates: Record<MailState, { label: string; tone: Tone }> = {
  queued: { label: 'Na fila', tone: 'progress' },
  sending: { label: 'Enviando', tone: 'primary' },
  sent: { label: 'Enviado', tone: 'open' },
  failed: { label: 'Falhou', tone: 'danger' },
  cancelled: { label: 'Cancelado', tone: 'closed' },
};

export const STATE_OPTIONS = Object.entries(mailStates).map(([value, { label }]) => ({ value, label }));

/** The state that an address asks for, if it is one. */
export function mailStateOf(text: string | null): MailState | null {
  return text !== null && isState(text) ? text : null;
}

const isState = (text: string): text is MailState => Object.hasOwn(mailStates, text);
