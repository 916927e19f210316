// The values of the form with the office's settings, and their validation.
import * as z from 'zod/mini';

import type { OfficeChanges, OfficeSettings } from '~/features/office/api';
import type { DayOffChoices, Holiday, OpeningPeriod } from '~/lib/api/database';
import { parseColor } from '~/lib/office-colors';
import { formatPhone, parsePhone } from '~/lib/phone';

import { findChosenColor, readableColors } from './readable-colors';

/** Texts are empty if unset. Lists are JSON, so that versions of a value can be compared. */
export type OfficeValues = {
  name: string;
  logo: string;
  color: string;
  phone: string;
  whatsapp: string;
  email: string;
  address: string;
  opening_hours: string;
  holidays: string;
  day_off_rules: string;
  welcome_text: string;
  mail_footer: string;
  mail_sender_name: string;
};

export const valueLabels: Record<keyof OfficeValues, string> = {
  name: 'Nome do escritório',
  logo: 'Logotipo',
  color: 'Cor',
  phone: 'Telefone',
  whatsapp: 'WhatsApp',
  email: 'E-mail',
  address: 'Endereço',
  opening_hours: 'Horário de atendimento',
  holidays: 'Feriados do escritório',
  day_off_rules: 'Vencimento em dia sem expediente',
  welcome_text: 'Texto de boas-vindas',
  mail_footer: 'Rodapé dos e-mails',
  mail_sender_name: 'Nome do remetente',
};

export function toValues(saved: OfficeSettings): OfficeValues {
  const whatsapp = saved.whatsapp === null ? null : parsePhone(`+${saved.whatsapp}`);
  const { color, dark_color: dark } = saved;
  return {
    name: saved.name ?? '',
    logo: saved.logo ?? '',
    // The next save would derive both forms from the darker one, and so change the lighter one.
    color: color !== null && dark !== null ? findChosenColor({ light: color, dark }) : (color ?? ''),
    phone: saved.phone ?? '',
    whatsapp: whatsapp === null ? '' : formatPhone(whatsapp),
    email: saved.email ?? '',
    address: saved.address ?? '',
    opening_hours: JSON.stringify(saved.opening_hours),
    holidays: JSON.stringify(saved.holidays),
    day_off_rules: JSON.stringify(saved.day_off_rules),
    welcome_text: saved.welcome_text ?? '',
    mail_footer: saved.mail_footer ?? '',
    mail_sender_name: saved.mail_sender_name ?? '',
  };
}

const toText = (value: string) => (value.trim() === '' ? null : value.trim().replaceAll('\r\n', '\n'));

export function toChanges(values: OfficeValues): OfficeChanges {
  const colors = readableColors(values.color);
  return {
    name: toText(values.name),
    logo: toText(values.logo),
    color: colors?.light ?? null,
    dark_color: colors?.dark ?? null,
    phone: toText(values.phone),
    whatsapp: parsePhone(values.whatsapp),
    email: toText(values.email),
    address: toText(values.address),
    opening_hours: parsePeriods(values.opening_hours),
    holidays: parseHolidays(values.holidays),
    day_off_rules: parseDayOffChoices(values.day_off_rules),
    welcome_text: toText(values.welcome_text),
    mail_footer: toText(values.mail_footer),
    mail_sender_name: toText(values.mail_sender_name),
  };
}

export function parsePeriods(json: string): OpeningPeriod[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form itself wrote the text.
  return JSON.parse(json) as OpeningPeriod[];
}

export function parseHolidays(json: string): Holiday[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form itself wrote the text.
  return JSON.parse(json) as Holiday[];
}

export function parseDayOffChoices(json: string): DayOffChoices {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form itself wrote the text.
  return JSON.parse(json) as DayOffChoices;
}

const optional = (isValid: (text: string) => boolean, message: string) =>
  z.string().check(z.refine((text) => text.trim() === '' || isValid(text.trim()), message));

const isTelephone = (text: string) => {
  const digits = text.replaceAll(/\D/g, '').length;
  return /^[\d\s()+.-]+$/.test(text) && digits >= 8 && digits <= 15;
};

export const officeSchema = z.object({
  name: z.string(),
  logo: z.string(),
  color: optional((text) => parseColor(text) !== null, 'Uma cor tem a forma #0e5a6b.'),
  phone: optional(isTelephone, 'O telefone não é um número de telefone.'),
  whatsapp: optional((text) => parsePhone(text) !== null, 'Informe o número com DDD.'),
  email: optional((text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text), 'Email inválido.'),
  address: z.string(),
  opening_hours: z.string().check(
    z.refine((json) => findPeriodError(json) === null, {
      error: (issue) => findPeriodError(String(issue.input))?.message ?? '',
    }),
  ),
  holidays: z.string().check(
    z.refine((json) => findHolidayError(json) === null, {
      error: (issue) => findHolidayError(String(issue.input)) ?? '',
    }),
  ),
  day_off_rules: z.string(),
  welcome_text: z.string(),
  mail_footer: z.string(),
  mail_sender_name: z.string(),
});

/** The first fault of the opening hours: a sentence, and the index of the period. */
export function findPeriodError(json: string): { message: string; period: number } | null {
  const periods = [...parsePeriods(json).entries()].toSorted(
    ([, a], [, b]) => a.weekday - b.weekday || a.opens.localeCompare(b.opens),
  );
  for (const [at, [period, { weekday, opens, closes }]] of periods.entries()) {
    if (opens === '' || closes === '') {
      return { message: 'Preencha o início e o fim de cada horário.', period };
    }
    if (opens >= closes) return { message: 'O atendimento termina depois de começar.', period };
    const [nextPeriod = 0, next] = periods[at + 1] ?? [];
    if (next && next.weekday === weekday && next.opens < closes) {
      return { message: 'Dois horários do mesmo dia se sobrepõem.', period: nextPeriod };
    }
  }
  return null;
}

function findHolidayError(json: string): string | null {
  const holidays = parseHolidays(json);
  if (holidays.some(({ on, name }) => on === '' || name.trim() === '')) {
    return 'Preencha a data e o nome de cada feriado.';
  }
  const days = new Set(holidays.map(({ on }) => on));
  return days.size < holidays.length ? 'Duas linhas têm a mesma data de feriado.' : null;
}
