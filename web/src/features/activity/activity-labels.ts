// Labels of audit events, actors and details.
import { documentStatusLabel } from '~/features/documents/document-labels';
import { officeStatusLabels } from '~/features/requests/request-labels';
import { ticketStatusLabels } from '~/features/tickets/ticket-labels';
import type { AuditEventName } from '~/lib/api/database.types';
import { formatInteger } from '~/lib/format';
import { isUuid } from '~/lib/uuid';

import type { ActivityEntry } from './api';

export const eventLabels: Record<AuditEventName, string> = {
  'session.began': 'Entrou no portal',
  'session.refused': 'Acesso recusado',
  'session.suspicious': 'Acesso suspeito encerrado',
  'second_step.enrolled': 'Verificação em duas etapas ligada',
  'second_step.removed': 'Verificação em duas etapas desligada',
  'second_step.recovered': 'Código de recuperação usado',
  'second_step.codes_made': 'Códigos de recuperação gerados',
  'second_step.codes_removed': 'Códigos de recuperação removidos',
  'passkey.added': 'Chave de acesso adicionada',
  'passkey.renamed': 'Chave de acesso renomeada',
  'passkey.removed': 'Chave de acesso removida',
  'session.ended': 'Sessão encerrada em outro aparelho',
  'account.created': 'Conta criada',
  'member.added': 'Pessoa incluída em um cliente',
  'member.removed': 'Pessoa removida de um cliente',
  'member.role_changed': 'Papel de uma pessoa mudado',
  'member.folders_changed': 'Pastas de uma pessoa mudadas',
  'account.invited': 'Convite enviado',
  'account.invitation_withdrawn': 'Convite retirado',
  'account.link_made': 'Link de acesso gerado',
  'account.changed': 'Conta alterada',
  'account.deleted': 'Conta excluída',
  'account.exported': 'Dados pessoais baixados',
  'account.erased': 'Dados pessoais apagados',
  'account.sign_up_repeated': 'Cadastro repetido',
  'client.viewed': 'Portal visto como cliente',
  'role.granted': 'Papel de administrador concedido',
  'role.changed': 'Papel no escritório alterado',
  'role.removed': 'Papel de administrador retirado',
  'assignment.created': 'Cliente atribuído a uma pessoa do escritório',
  'assignment.changed': 'Responsável pelo cliente alterado',
  'assignment.deleted': 'Cliente não mais atribuído',
  'office.changed': 'Configurações do escritório alteradas',
  'document.created': 'Documento enviado',
  'document.changed': 'Documento alterado',
  'document.deleted': 'Documento excluído',
  'version.restored': 'Versão de documento restaurada',
  'version.deleted': 'Versão de documento apagada',
  'document.restored': 'Documento restaurado da lixeira',
  'document.purged': 'Documento excluído definitivamente',
  'document.discarded': 'Documento descartado pelo prazo de guarda',
  'document.withdrawn': 'Documento recolhido',
  'document.republished': 'Documento publicado de novo',
  'inbox.discarded': 'Arquivo da caixa de entrada descartado',
  'inbox_rule.created': 'Regra da caixa de entrada aprendida',
  'inbox_rule.changed': 'Regra da caixa de entrada alterada',
  'inbox_rule.deleted': 'Regra da caixa de entrada excluída',
  'recognition_rule.created': 'Regra de reconhecimento criada',
  'recognition_rule.changed': 'Regra de reconhecimento alterada',
  'recognition_rule.deleted': 'Regra de reconhecimento excluída',
  'inbox_token.created': 'Chave de envio criada',
  'inbox_token.revoked': 'Chave de envio revogada',
  'document.opened': 'Documento aberto',
  'document.downloaded': 'Documento baixado',
  'document.reminded': 'Cliente lembrado do documento',
  'document.delivered': 'Documento entregue por outro meio',
  'document.opened_by_link': 'Documento aberto pelo link pessoal',
  'personal_link.created': 'Link pessoal criado',
  'personal_link.revoked': 'Link pessoal revogado',
  'personal_link.locked': 'Link pessoal bloqueado',
  'document.proved': 'Comprovante de entrega emitido',
  'reminder_rule.created': 'Lembrete automático criado',
  'reminder_rule.changed': 'Lembrete automático alterado',
  'reminder_rule.deleted': 'Lembrete automático excluído',
  'contact.deleted': 'Contato com o cliente excluído',
  'document.acknowledged': 'Leitura confirmada pelo cliente',
  'document.approved': 'Documento aprovado pelo cliente',
  'document.refused': 'Documento recusado pelo cliente',
  'approval.withdrawn': 'Resposta do cliente desfeita',
  'payment.reported': 'Pagamento informado',
  'payment.changed': 'Pagamento informado alterado',
  'payment.withdrawn': 'Pagamento informado desfeito',
  'receipt.changed': 'Recibo de leitura alterado',
  'receipt.deleted': 'Recibo de leitura excluído',
  'file.created': 'Arquivo enviado',
  'file.opened': 'Arquivo aberto pela equipe',
  'file.downloaded': 'Arquivo baixado pela equipe',
  'file.replaced': 'Arquivo substituído',
  'file.moved': 'Arquivo movido',
  'file.deleted': 'Arquivo excluído',
  'file.discarded': 'Arquivo sem documento descartado',
  'bucket.created': 'Bucket criado',
  'bucket.changed': 'Bucket alterado',
  'bucket.emptied': 'Bucket esvaziado',
  'bucket.deleted': 'Bucket excluído',
  'folder.created': 'Pasta criada',
  'folder.changed': 'Pasta alterada',
  'folder.deleted': 'Pasta excluída',
  'folder.ordered': 'Pastas reordenadas',
  'ticket.created': 'Ticket aberto',
  'ticket.changed': 'Ticket alterado',
  'ticket.deleted': 'Ticket excluído',
  'ticket.answered': 'Ticket respondido',
  'ticket.noted': 'Nota interna no ticket',
  'message.changed': 'Mensagem alterada',
  'message.deleted': 'Mensagem excluída',
  'request.created': 'Documento solicitado ao cliente',
  'request.changed': 'Solicitação alterada',
  'request.deleted': 'Solicitação excluída',
  'request.reminded': 'Cliente lembrado da solicitação',
  'received_file.created': 'Arquivo recebido do cliente',
  'received_file.changed': 'Arquivo recebido alterado',
  'received_file.deleted': 'Arquivo recebido excluído',
  'received_file.filed': 'Arquivo recebido arquivado',
  'request_template.created': 'Modelo de solicitação criado',
  'request_template.changed': 'Modelo de solicitação alterado',
  'request_template.deleted': 'Modelo de solicitação excluído',
  'saved_reply.created': 'Resposta pronta criada',
  'saved_reply.changed': 'Resposta pronta alterada',
  'saved_reply.deleted': 'Resposta pronta excluída',
  'template.created': 'Template de email criado',
  'template.changed': 'Template de email alterado',
  'template.deleted': 'Template de email excluído',
  'settings.created': 'Notificações por email configuradas',
  'settings.changed': 'Notificações por email configuradas',
  'mail.resent': 'Email reenviado',
  'mail.cancelled': 'Email cancelado',
  'settings.deleted': 'Notificações por email configuradas',
  'signing_key.created': 'Chave de assinatura criada',
  'signing_key.rotated': 'Chave de assinatura trocada',
  'signing_key.revoked': 'Chave de assinatura revogada',
  'activity.erased': 'Nomes apagados do registro',
};

/** Groups of the event filter. `kinds` holds the event prefixes of each group. */
export const activityFilterGroups: { value: string; label: string; kinds: readonly string[] }[] = [
  { value: 'acessos', label: 'Acessos', kinds: ['session', 'second_step', 'signing_key', 'passkey'] },
  { value: 'contas', label: 'Contas e clientes', kinds: ['account', 'client', 'member', 'activity'] },
  { value: 'administradores', label: 'Administradores', kinds: ['role', 'assignment'] },
  {
    value: 'documentos',
    label: 'Documentos',
    kinds: [
      'personal_link',
      'version',
      'document',
      'payment',
      'approval',
      'contact',
      'receipt',
      'file',
      'bucket',
      'inbox',
      'inbox_rule',
      'inbox_token',
      'recognition_rule',
      'reminder_rule',
    ],
  },
  { value: 'pastas', label: 'Pastas', kinds: ['folder'] },
  { value: 'tickets', label: 'Tickets', kinds: ['ticket', 'message', 'saved_reply'] },
  {
    value: 'solicitacoes',
    label: 'Solicitações',
    kinds: ['request', 'received_file', 'request_template'],
  },
  { value: 'email', label: 'Email', kinds: ['template', 'settings', 'mail'] },
  { value: 'escritorio', label: 'Escritório', kinds: ['office'] },
];

/** The events of a group, or none for an unknown group. */
export function getGroupEvents(group: string): string[] {
  const kinds = activityFilterGroups.find(({ value }) => value === group)?.kinds ?? [];
  return Object.keys(eventLabels).filter((event) => kinds.some((kind) => event.startsWith(`${kind}.`)));
}

const actorLabels = { staff: 'Equipe', client: 'Cliente', program: 'Sistema', nobody: 'Visitante' };

/** Labels of the buckets, for files that are stored under an id instead of their name. */
const bucketLabels: Record<string, string> = {
  inbox: 'caixa de entrada',
  'client-documents': 'documento',
  'ticket-attachments': 'anexo de ticket',
  'received-files': 'arquivo recebido',
  'deleted-documents': 'lixeira',
  'document-versions': 'versão de documento',
};

const reasons: Record<string, string> = {
  password: 'senha incorreta',
  second_step: 'código incorreto',
  passkey: 'chave de acesso recusada',
  passkey_counter: 'chave de acesso possivelmente copiada',
  user_banned: 'acesso suspenso',
  email_not_confirmed: 'e-mail não confirmado',
};

const columnLabels: Record<string, string> = {
  name: 'nome',
  full_name: 'nome',
  user_metadata: 'dados da conta',
  email: 'e-mail',
  new_email: 'pedido de troca de e-mail',
  email_confirmed_at: 'confirmação do e-mail',
  password: 'senha',
  banned_until: 'suspensão',
  status: 'status',
  expires_at: 'vencimento',
  created_at: 'data',
  uploaded_at: 'envio',
  folder_id_supabase: 'pasta',
  id_supabase: 'endereço',
  client_id: 'cliente',
  user_id: 'cliente',
  file_url: 'arquivo',
  public: 'acesso público',
  file_size_limit: 'limite de tamanho',
  allowed_mime_types: 'tipos aceitos',
  type: 'tipo',
  kind: 'tipo de notificação',
  icon: 'ícone',
  position: 'ordem',
  archived_at: 'arquivamento',
  category: 'categoria',
  priority: 'prioridade',
  priority_rank: 'prioridade',
  subject: 'assunto',
  message: 'mensagem',
  body: 'texto',
  title: 'título',
  html_content: 'conteúdo',
  event_trigger: 'gatilho',
  description: 'descrição',
  retention_months: 'prazo de guarda',
  auto_delete: 'descarte automático',
  legal_hold_reason: 'guarda legal',
  logo: 'logotipo',
  color: 'cor',
  dark_color: 'cor no tema escuro',
  phone: 'telefone',
  whatsapp: 'WhatsApp',
  address: 'endereço',
  opening_hours: 'horário de atendimento',
  holidays: 'feriados',
  day_off_rules: 'vencimentos em dia sem expediente',
  welcome_text: 'texto de boas-vindas',
  mail_footer: 'rodapé dos e-mails',
  mail_sender_name: 'nome do remetente',
  tax_id: 'CPF ou CNPJ',
  app_metadata: 'papéis',
  reference_month: 'competência',
  amount_cents: 'valor',
  payment_line: 'linha digitável',
  pix_code: 'Pix',
  approval_request: 'resposta pedida',
  approval_outcome: 'resposta do cliente',
  published_at: 'publicação',
  responsible_id: 'responsável',
  is_responsible: 'responsável',
  assignee_id: 'responsável',
  due_at: 'prazo',
  due_on: 'prazo',
  document_id: 'documento',
  paid_on: 'data do pagamento',
  note: 'recado',
  enabled: 'avisos ligados',
  days: 'dias',
  recipient: 'destinatário',
  pattern: 'padrão',
  phrases: 'expressões',
  excluded_phrases: 'expressões que excluem',
  is_payable: 'guia a pagar',
  month: 'mês de referência',
  hint: 'orientação',
  repeats_monthly: 'repetição',
  refusal_reason: 'motivo da recusa',
  items: 'itens',
};

/** Columns that the server writes with another file of a document. */
const writtenWithFile: ReadonlySet<string> = new Set([
  'approval_outcome',
  'client_id',
  'size',
  'type',
  'uploaded_at',
  'withdrawn_at',
  'withdrawn_client_id',
]);

export function eventLabel({ event }: ActivityEntry): string {
  const labels: Record<string, string> = eventLabels;
  return labels[event] ?? event;
}

/** The time in milliseconds or the id that an upload puts before the name of a file. */
const NAME_PREFIX = /^(?:\d{13}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-(?=.)/;

/** The name of what the event is about. A file that is stored under an id is labeled by its place. */
export function subjectLabel({ event, subject, detail }: ActivityEntry): string | null {
  if (subject === null) return null;
  if (!isUuid(subject.replace(/\.\w+$/, ''))) {
    return event.startsWith('file.') ? subject.replace(NAME_PREFIX, '') : subject;
  }
  const { bucket } = detail;
  return (typeof bucket === 'string' ? bucketLabels[bucket] : undefined) ?? null;
}

/** The actor's name. An actor without a stored name is labeled by kind. */
export function actorLabel({ actor, actor_name: name }: ActivityEntry): string {
  return name ?? actorLabels[actor];
}

export function actorKindLabel({ actor }: ActivityEntry): string {
  return actorLabels[actor];
}

/** The event's details as a short text, empty if there are none. */
export function detailLabel({ event, detail }: ActivityEntry): string {
  const { columns: changed, status, reason } = detail;
  if (reason !== undefined) return reasons[reason] ?? reason;
  if (event === 'account.deleted' || event === 'account.erased') {
    return `documentos: ${formatUnknownCount(detail['documents'])}, tickets: ${formatUnknownCount(detail['tickets'])}`;
  }
  if (event === 'bucket.emptied') return `arquivos: ${formatUnknownCount(detail['files'])}`;
  if (event === 'second_step.recovered') return `restam: ${formatUnknownCount(detail['remaining'])}`;
  const chosen = changed?.includes('file_url')
    ? changed.filter((name) => !writtenWithFile.has(name))
    : (changed ?? []);
  const parts = chosen.map((name) => {
    if (name !== 'status' || status === undefined) return columnLabels[name] ?? name;
    return `status: ${statusLabel(event, status)}`;
  });
  return [...new Set(parts)].join(', ');
}

function formatUnknownCount(value: unknown): string {
  return typeof value === 'number' ? formatInteger(value) : '0';
}

function statusLabel(event: string, status: string): string {
  const requestStatus: Record<string, { label: string }> = officeStatusLabels;
  const ticketStatus: Record<string, string> = ticketStatusLabels;
  if (event.startsWith('request.')) return requestStatus[status]?.label ?? status;
  return event.startsWith('ticket.') ? (ticketStatus[status] ?? status) : documentStatusLabel(status);
}
