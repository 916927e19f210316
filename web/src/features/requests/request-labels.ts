// Labels of the status of a request item, and of months.
import type { RequestStatus } from '~/lib/api/database';
import { formatLongDate } from '~/lib/dates';
import type { Tone } from '~/ui/badge';

export type StatusLabel = { label: string; tone: Tone };

/** As the client reads it. */
export const clientStatusLabels: Record<RequestStatus, StatusLabel> = {
  open: { label: 'Falta enviar', tone: 'warning' },
  refused: { label: 'Recusado', tone: 'danger' },
  answered: { label: 'Enviado', tone: 'primary' },
  nothing: { label: 'Nada a enviar', tone: 'neutral' },
  accepted: { label: 'Aceito', tone: 'success' },
};

/** As the office reads it. */
export const officeStatusLabels: Record<RequestStatus, StatusLabel> = {
  ...clientStatusLabels,
  open: { label: 'Aguardando', tone: 'warning' },
  answered: { label: 'Para conferir', tone: 'primary' },
};

/** Whether an item waits for its client. */
export function isMissing({ status }: { status: RequestStatus }): boolean {
  return status === 'open' || status === 'refused';
}

/** `novembro de 2026` of `2026-11`. */
export function formatMonth(month: string): string {
  return formatLongDate(`${month}-01`).replace(/^\d+ de /, '');
}

/** The month `offset` months after another one. */
export function addMonths(month: string, offset: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const months = year * 12 + number - 1 + offset;
  return `${String(Math.floor(months / 12)).padStart(4, '0')}-${String((months % 12) + 1).padStart(2, '0')}`;
}
