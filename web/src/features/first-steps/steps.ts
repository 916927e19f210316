// The first steps of an office, and whether they are done, from the office's data.
import type { OfficeSettings } from '~/features/office/api';
import type { SmtpStatus } from '~/lib/api/database';

export const stepIds = ['office', 'mail', 'team', 'clients'] as const;
export type StepId = (typeof stepIds)[number];

export const stepTitles: Record<StepId, string> = {
  office: 'O escritório',
  mail: 'E-mails',
  team: 'Colegas',
  clients: 'Primeiros cadastros',
};

/** The data that the steps depend on. Each is undefined until it is read. */
export type OfficeState = {
  settings: OfficeSettings | undefined;
  smtp: SmtpStatus | undefined;
  staffCount: number | undefined;
  clientCount: number | undefined;
};

type Check = { label: string; isDone: boolean };

/** The parts of the office's identity, of which all but logo and color are needed. */
export function checkOffice({ name, logo, color, phone, whatsapp, email }: OfficeSettings): Check[] {
  return [
    { label: 'Nome', isDone: name !== null },
    { label: 'Contato', isDone: phone !== null || whatsapp !== null || email !== null },
    { label: 'Logotipo', isDone: logo !== null },
    { label: 'Cor', isDone: color !== null },
  ];
}

/** The steps that are done. A step whose data are not read counts as not done. */
export function findDoneSteps({ settings, smtp, staffCount = 0, clientCount = 0 }: OfficeState): Set<StepId> {
  const [name, contact] = settings ? checkOffice(settings) : [];
  const isDone: Record<StepId, boolean> = {
    office: name?.isDone === true && contact?.isDone === true,
    mail: smtp?.configured === true && smtp.last_sent_at !== null && smtp.last_error === null,
    team: staffCount > 1,
    clients: clientCount > 0,
  };
  return new Set(stepIds.filter((id) => isDone[id]));
}
