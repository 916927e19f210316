// Ready texts for new e-mail templates, one for each trigger.
import type { TemplateInput } from '~/features/email/api/templates';
import type { NotificationTrigger } from '~/lib/api/database.types';

export type StartingPoint = Pick<TemplateInput, 'name' | 'subject' | 'html_content'>;

type MailText = {
  name: string;
  subject: string;
  heading: string;
  paragraphs: readonly string[];
  button: string;
};

const DOCUMENT_BUTTON = '<a class="button" href="{{document.link}}">Abrir o documento</a>';
const REQUEST_BUTTON = '<a class="button" href="{{request.link}}">Enviar pelo portal</a>';
const DOCUMENT = '<strong>{{document.name}}</strong>';
const DUE_DATE = '<strong>{{document.expires_at}}</strong>';
const REQUEST = '<strong>{{request.name}}</strong>';
const TICKET = '<strong>{{ticket.subject}}</strong>';

// A document may have no due date, so only the texts about due dates name it.
const texts: Record<NotificationTrigger, MailText> = {
  contrato_new: {
    name: 'Novo contrato',
    subject: 'Novo contrato para você: {{document.name}}',
    heading: 'Um contrato está à sua espera',
    paragraphs: [
      `O contrato ${DOCUMENT} já está na pasta {{document.folder}} do portal.`,
      'Leia com calma. Se algo não estiver como combinamos, fale conosco por um ticket.',
    ],
    button: DOCUMENT_BUTTON,
  },
  fatura_new: {
    name: 'Nova fatura',
    subject: 'Chegou uma fatura: {{document.name}}',
    heading: 'Chegou uma fatura',
    paragraphs: [
      `A fatura ${DOCUMENT} já está na pasta {{document.folder}} do portal.`,
      'Lá você vê o vencimento, copia o código para pagar e avisa quando tiver pago.',
    ],
    button: DOCUMENT_BUTTON,
  },
  fatura_expiring_soon: {
    name: 'Fatura prestes a vencer',
    subject: 'Vence em {{document.expires_at}}: {{document.name}}',
    heading: 'Uma fatura vence em breve',
    paragraphs: [
      `A fatura ${DOCUMENT} vence em ${DUE_DATE}.`,
      'Se você já pagou, avise pelo portal e desconsidere esta mensagem.',
    ],
    button: DOCUMENT_BUTTON,
  },
  fatura_expired: {
    name: 'Fatura vencida',
    subject: 'Venceu em {{document.expires_at}}: {{document.name}}',
    heading: 'Uma fatura venceu',
    paragraphs: [
      `A fatura ${DOCUMENT} venceu em ${DUE_DATE}.`,
      'Depois do vencimento podem incidir multa e juros. Se precisar de uma guia atualizada, peça pelo portal.',
      'Se você já pagou, avise pelo portal e desconsidere esta mensagem.',
    ],
    button: DOCUMENT_BUTTON,
  },
  relatorio_new: {
    name: 'Novo relatório',
    subject: 'Seu relatório está pronto: {{document.name}}',
    heading: 'Seu relatório está pronto',
    paragraphs: [
      `O relatório ${DOCUMENT} já está na pasta {{document.folder}} do portal.`,
      'Ficou com alguma dúvida sobre os números? Abra um ticket, e nós explicamos.',
    ],
    button: DOCUMENT_BUTTON,
  },
  aviso_geral: {
    name: 'Aviso geral',
    subject: 'Aviso de {{office.name}}: {{document.name}}',
    heading: 'Temos um aviso para você',
    paragraphs: [`Publicamos o aviso ${DOCUMENT} na pasta {{document.folder}} do portal.`],
    button: DOCUMENT_BUTTON,
  },
  ticket_created_user: {
    name: 'Ticket criado',
    subject: 'Recebemos o seu ticket: {{ticket.subject}}',
    heading: 'Recebemos o seu ticket',
    paragraphs: [
      `O ticket ${TICKET} está registrado, e a nossa equipe já pode vê-lo.`,
      'Você recebe um e-mail quando houver resposta. Para acrescentar algo, escreva no próprio ticket.',
    ],
    button: ticketButton(),
  },
  ticket_updated_user: {
    name: 'Ticket atualizado',
    subject: 'Novidade no seu ticket: {{ticket.subject}}',
    heading: 'Há novidade no seu ticket',
    paragraphs: [`O ticket ${TICKET} recebeu uma resposta ou mudou de situação.`],
    button: ticketButton(),
  },
  contrato_expiring_soon: {
    name: 'Contrato prestes a vencer',
    subject: 'Vence em {{document.expires_at}}: {{document.name}}',
    heading: 'Um contrato vence em breve',
    paragraphs: [
      `O contrato ${DOCUMENT} vence em ${DUE_DATE}.`,
      'Quer renovar ou mudar alguma condição? Abra um ticket, e nós cuidamos do próximo passo com você.',
    ],
    button: DOCUMENT_BUTTON,
  },
  contrato_expired: {
    name: 'Contrato vencido',
    subject: 'Venceu em {{document.expires_at}}: {{document.name}}',
    heading: 'Um contrato venceu',
    paragraphs: [
      `O contrato ${DOCUMENT} venceu em ${DUE_DATE}.`,
      'Se a renovação já está em andamento, desconsidere esta mensagem. Se não está, fale conosco por um ticket.',
    ],
    button: DOCUMENT_BUTTON,
  },
  document_reminder: {
    name: 'Lembrete de documento não aberto',
    subject: 'Você ainda não abriu: {{document.name}}',
    heading: 'Um documento espera por você',
    paragraphs: [
      `O documento ${DOCUMENT} está na pasta {{document.folder}} do portal e ainda não foi aberto.`,
      'Basta abrir uma vez para que este lembrete pare.',
    ],
    button: DOCUMENT_BUTTON,
  },
  request_new: {
    name: 'Nova solicitação',
    subject: 'Precisamos de um documento: {{request.name}}',
    heading: 'Precisamos de um documento',
    paragraphs: [
      `Para seguir com o seu trabalho, precisamos de ${REQUEST}.`,
      '{{request.hint}}',
      'O envio é feito pelo portal. Se não houver o que enviar, responda isso lá mesmo.',
    ],
    button: REQUEST_BUTTON,
  },
  request_refused: {
    name: 'Solicitação recusada',
    subject: 'Envie de novo: {{request.name}}',
    heading: 'Precisamos que você envie de novo',
    paragraphs: [
      `O que recebemos para ${REQUEST} não pôde ser aceito:`,
      '{{request.refusal_reason}}',
      'Se ficou alguma dúvida, abra um ticket.',
    ],
    button: REQUEST_BUTTON,
  },
  request_reminder: {
    name: 'Lembrete de solicitação',
    subject: 'Ainda falta enviar: {{request.name}}',
    heading: 'Ainda falta um documento',
    paragraphs: [
      `Ainda esperamos ${REQUEST}. Prazo: <strong>{{request.due_on}}</strong>.`,
      '{{request.hint}}',
    ],
    button: REQUEST_BUTTON,
  },
};

/** The ready text of a trigger. */
export function startingPoint(trigger: string): StartingPoint | undefined {
  const byTrigger: Record<string, MailText> = texts;
  const text = byTrigger[trigger];
  if (!text) return undefined;
  const { name, subject, heading, paragraphs, button } = text;
  const lines = ['Olá, {{client.name}}.', ...paragraphs, button, 'Um abraço,<br>{{office.name}}'];
  return {
    name,
    subject,
    html_content: `<h1>${heading}</h1>${lines.map((line) => `<p>${line}</p>`).join('')}`,
  };
}

/** Tickets have no variable with their address. */
function ticketButton(): string {
  return `<a class="button" href="${location.origin}/tickets/{{ticket.id}}">Ver o ticket</a>`;
}
