// Template variables such as `{{client.name}}`, and warnings about them. The server validates saved templates by the
// same rules.

export type Variable = { name: string; meaning: string };

/** Variables in display order. */
export const variables: readonly Variable[] = [
  { name: 'client.name', meaning: 'Nome do cliente' },
  { name: 'document.name', meaning: 'Nome do documento' },
  { name: 'document.link', meaning: 'Link para o documento' },
  { name: 'ticket.subject', meaning: 'Assunto do ticket' },
  { name: 'document.expires_at', meaning: 'Data de vencimento do documento' },
  { name: 'document.folder', meaning: 'Pasta do documento' },
  { name: 'ticket.id', meaning: 'Número do ticket' },
  { name: 'office.name', meaning: 'Nome do escritório' },
  { name: 'request.name', meaning: 'O que o escritório pede' },
  { name: 'request.hint', meaning: 'Orientação sobre o pedido' },
  { name: 'request.due_on', meaning: 'Prazo do pedido' },
  { name: 'request.refusal_reason', meaning: 'Motivo da recusa' },
  { name: 'request.link', meaning: 'Link para as solicitações' },
];

/** The kind of row that e-mails are about. */
export type MailSubject = 'document' | 'ticket' | 'request';

/** The variables to offer for a trigger. Those of requests are offered for requests only. */
export function offeredVariables(trigger: string): readonly Variable[] {
  return variables.filter(({ name }) => !name.startsWith('request.') || subjectOf(trigger) === 'request');
}

/** Whether the e-mails of a trigger have a value for the variable. Without a trigger, every variable is available. */
export function isAvailable(variable: string, trigger: string): boolean {
  if (trigger === '') return true;
  const about = variable.split('.')[0] ?? '';
  return !['document', 'ticket', 'request'].includes(about) || about === subjectOf(trigger);
}

export function subjectOf(trigger: string): MailSubject {
  if (trigger.startsWith('ticket_')) return 'ticket';
  return trigger.startsWith('request_') ? 'request' : 'document';
}

export type TemplateWarnings = {
  /** Unknown variables and malformed placeholders, without duplicates. */
  unknown: string[];
  /** Variables without a value for the trigger, without duplicates. */
  unavailable: string[];
};

export function findTemplateWarnings(text: string, trigger: string): TemplateWarnings {
  const unknown = new Set<string>();
  const unavailable = new Set<string>();
  for (const { name, typed } of placeholdersIn(text)) {
    if (!variables.some((variable) => variable.name === name)) unknown.add(name ?? typed);
    else if (name !== null && !isAvailable(name, trigger)) unavailable.add(name);
  }
  return { unknown: [...unknown], unavailable: [...unavailable] };
}

/** Maximum number of characters shown of an unclosed placeholder. */
const SHOWN = 40;

/** Every placeholder. `name` is null for a malformed or unclosed placeholder. */
function* placeholdersIn(text: string): Generator<{ name: string | null; typed: string }> {
  for (let at = text.indexOf('{{'); at !== -1;) {
    const [end, again] = [text.indexOf('}}', at + 2), text.indexOf('{{', at + 2)];
    if (end !== -1 && (again === -1 || end < again)) {
      const name = text.slice(at + 2, end).replaceAll(/^(?:\s|&nbsp;)+|(?:\s|&nbsp;)+$/g, '');
      yield {
        name: /^[\p{Alphabetic}\p{N}._]+$/u.test(name) ? name : null,
        typed: text.slice(at, end + 2),
      };
      at = text.indexOf('{{', end + 2);
    } else {
      yield { name: null, typed: text.slice(at, again === -1 ? at + SHOWN : Math.min(again, at + SHOWN)) };
      at = again;
    }
  }
}

/** Maximum length of the data URL of an embedded image. Larger images need an external URL. */
const MAX_IMAGE_URL_LENGTH = 100_000;
/** Maximum size of the file of an embedded image, in bytes. Base64 adds a third. */
export const MAX_IMAGE_BYTES = 73 * 1024;

/** Whether the text embeds an image that the server rejects. */
export function hasOversizedImage(html: string): boolean {
  return [...html.matchAll(/data:image\/[^"'\s)>]*/gi)].some(([address]) => isOversizedImage(address));
}

export function isOversizedImage(address: string): boolean {
  return address.length > MAX_IMAGE_URL_LENGTH;
}
