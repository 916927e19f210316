// E-mail events: triggers of templates, notification settings and their labels.
import type { EmailSettings } from '~/features/email/api/settings';
import type { MailEvent, NotificationTrigger } from '~/lib/api/database.types';

/** Triggers in display order. Those of `EXTRA` are shown only if their settings are enabled. */
const triggers: Record<NotificationTrigger, string> = {
  contrato_new: 'Novo contrato',
  fatura_new: 'Nova fatura',
  fatura_expiring_soon: 'Fatura prestes a vencer',
  fatura_expired: 'Fatura vencida',
  relatorio_new: 'Novo relatório',
  aviso_geral: 'Aviso geral',
  ticket_created_user: 'Ticket criado',
  ticket_updated_user: 'Ticket atualizado',
  contrato_expiring_soon: 'Contrato prestes a vencer',
  contrato_expired: 'Contrato vencido',
  document_reminder: 'Lembrete de documento não aberto',
  request_new: 'Nova solicitação',
  request_refused: 'Solicitação recusada',
  request_reminder: 'Lembrete de solicitação',
};

const EXTRA: readonly string[] = [
  'contrato_expiring_soon',
  'contrato_expired',
  'document_reminder',
  'request_new',
  'request_refused',
  'request_reminder',
] satisfies NotificationTrigger[];

/** Labels of system e-mails, which have no template. */
const systemEmailLabels: Record<Exclude<MailEvent, NotificationTrigger>, string> = {
  test: 'Teste de template',
  digest: 'Resumo de avisos',
  recovery: 'Redefinição de senha',
  invite: 'Convite',
  member_added: 'Inclusão em um cliente',
  welcome: 'Boas-vindas',
  confirmation: 'Confirmação de cadastro',
  magic_link: 'Link de acesso',
  reauthentication: 'Código de confirmação',
  email_change: 'Troca de e-mail',
  email_changed: 'E-mail trocado',
  email_set: 'Novo e-mail de acesso',
  password_created: 'Senha criada',
  password_changed: 'Senha alterada',
  second_step_on: 'Verificação em duas etapas ligada',
  second_step_off: 'Verificação em duas etapas desligada',
  passkey_added: 'Chave de acesso adicionada',
  passkey_removed: 'Chave de acesso removida',
  recovery_code_used: 'Código de recuperação usado',
  suspicious_access: 'Acesso suspeito',
  account_exists: 'Conta já existente',
  document_code: 'Código de um link pessoal',
  mail_reply_posted: 'Resposta por e-mail publicada',
  mail_reply_refused: 'Resposta por e-mail recusada',
  mail_reply_incomplete: 'Resposta por e-mail sem um arquivo',
  data_erased: 'Dados pessoais apagados',
  staff_new_ticket: 'Aviso ao escritório: ticket novo',
  staff_client_reply: 'Aviso ao escritório: mensagem de cliente',
  staff_received_files: 'Aviso ao escritório: arquivos recebidos',
  staff_approval_answer: 'Aviso ao escritório: resposta a documento',
  staff_digest: 'Resumo diário do escritório',
};

const mailLabels: Record<string, string> = { ...triggers, ...systemEmailLabels };

/**
 * Selectable triggers. `EXTRA` ones are selectable once the office saved their settings as enabled; the current trigger
 * of a template always is.
 */
export function availableTriggers(saved: EmailSettings, own: string): { value: string; label: string }[] {
  return Object.entries(triggers)
    .filter(([value]) => !EXTRA.includes(value) || value === own || saved[value] === true)
    .map(([value, label]) => ({ value, label }));
}

export const TRIGGER_COUNT = Object.keys(triggers).length;

export function triggerLabel(trigger: string): string {
  const labels: Record<string, string> = triggers;
  return labels[trigger] ?? trigger;
}

export function mailEventLabel(event: string): string {
  return mailLabels[event] ?? event;
}

export type SettingGroup = { title: string; settings: { key: string; label: string }[] };

const ADDED = 'Novo documento adicionado';
const SOON = 'Prestes a vencer (ex: 7 dias antes)';
const EXPIRED = 'Vencido';

/** Settings of the four document types. */
export const documentSettings: SettingGroup[] = [
  {
    title: 'Contrato',
    settings: [
      { key: 'contrato_new', label: ADDED },
      { key: 'contrato_expiring_soon', label: SOON },
      { key: 'contrato_expired', label: EXPIRED },
    ],
  },
  {
    title: 'Fatura',
    settings: [
      { key: 'fatura_new', label: ADDED },
      { key: 'fatura_expiring_soon', label: SOON },
      { key: 'fatura_expired', label: EXPIRED },
    ],
  },
  { title: 'Relatório', settings: [{ key: 'relatorio_new', label: ADDED }] },
  { title: 'Aviso', settings: [{ key: 'aviso_new', label: ADDED }] },
];

export const ticketSettings: SettingGroup = {
  title: 'Tickets',
  settings: [
    { key: 'ticket_created_user', label: 'Ticket criado' },
    { key: 'ticket_updated_user', label: 'Ticket respondido ou com novo status' },
  ],
};

export const requestSettings: SettingGroup = {
  title: 'Solicitações',
  settings: [
    { key: 'request_new', label: 'Item solicitado' },
    { key: 'request_refused', label: 'Envio recusado' },
    { key: 'request_reminder', label: 'Lembrete de item que falta' },
  ],
};

export const reminderSettings: SettingGroup = {
  title: 'Lembretes',
  settings: [{ key: 'document_reminder', label: 'Documento que o cliente não abriu' }],
};

/** Settings with defaults: unsaved settings of `documentSettings` are off, all other unsaved settings are on. */
export function effectiveSettings(saved: EmailSettings): EmailSettings {
  const inForce = (group: SettingGroup, unsaved: boolean) =>
    group.settings.map(({ key }) => [key, saved[key] ?? unsaved] as const);
  return Object.fromEntries([
    ...documentSettings.flatMap((group) => inForce(group, false)),
    ...inForce(ticketSettings, true),
    ...inForce(requestSettings, true),
    ...inForce(reminderSettings, true),
  ]);
}

/** Whether the nightly run sends the e-mails of this setting, which also concern existing documents. */
export function isSentNightly(setting: string): boolean {
  return setting.endsWith('_expiring_soon') || setting.endsWith('_expired');
}

/** Label of a setting in a sentence: `Fatura: vencido`. */
export function settingLabel(key: string): string {
  for (const { title, settings } of [
    ...documentSettings,
    ticketSettings,
    requestSettings,
    reminderSettings,
  ]) {
    const found = settings.find((setting) => setting.key === key);
    if (found) return `${title}: ${found.label.replace(/ \(.*\)$/, '').toLowerCase()}`;
  }
  return key;
}
