// What a template may name: `{{client.name}}` stands for the client's name, and nothing else means anything.
// The server judges what is saved by the same rules; here they are told while one types.

export type Variable = { name: string; meaning: string };

/** The spec's four come first. */
export const variables: readonly Variable[] = [
  { name: 'client.name', meaning: 'Nome do cliente' },
  { name: 'document.name', meaning: 'Nome do documento' },
  { name: 'document.link', meaning: 'Link para o documento' },
  { name: 'ticket.subject', meaning: 'Assunto do ticket' },
  { name: 'document.expires_at', meaning: 'Data de vencimento do documento' },
  { name: 'document.folder', meaning: 'Pasta do documento' },
  { name: 'ticket.id', meaning: 'Número do ticket' },
  { name: 'office.name', meaning: 'Nome do escritório' },
];

/** Whether the mails of a trigger have something to put in a variable's place. Before one is chosen, none is ruled out. */
export function isAvailable(variable: string, trigger: string): boolean {
  if (trigger === '') return true;
  const about = variable.split('.')[0];
  if (about === 'document') return !isAboutTickets(trigger);
  return about === 'ticket' ? isAboutTickets(trigger) : true;
}

export function isAboutTickets(trigger: string): boolean {
  return trigger.startsWith('ticket_');
}

export type TemplateWarnings = {
  /** Names that nothing stands behind, and placeholders that are none. Each once. */
  unknown: string[];
  /** What has no value for the trigger. Each once. */
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

/** So much of braces that are never closed is shown. */
const SHOWN = 40;

/** Every `{{name}}`; with null for a name, braces around what can be none, or that are never closed. */
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

/** The most that the address of a picture within the text may be long; a larger picture is published elsewhere. */
const MAX_IMAGE_URL_LENGTH = 100_000;
/** The most that the file of such a picture may weigh: in an address it takes a third more. */
export const MAX_IMAGE_BYTES = 73 * 1024;

/** Whether a text carries a picture within it that the server refuses. */
export function hasOversizedImage(html: string): boolean {
  return [...html.matchAll(/data:image\/[^"'\s)>]*/gi)].some(([address]) => isOversizedImage(address));
}

export function isOversizedImage(address: string): boolean {
  return address.length > MAX_IMAGE_URL_LENGTH;
}
