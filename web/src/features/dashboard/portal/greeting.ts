// The greeting of the home page.

/** Words of a company's legal form. The first word of such a name is not a person's. */
const LEGAL_FORM = /(?:^|\s)(?:ltda|me|mei|epp|eireli|s\/?a|s\/?s|cia|&)(?:\s|$)/i;

/** Greets a person by the first name, and a company without a name. */
export function greeting(fullName: string | null | undefined): string {
  const name = fullName?.trim().replaceAll('.', '') ?? '';
  const [firstName] = name.split(/\s+/);
  return firstName && !LEGAL_FORM.test(name) ? `Boas-vindas, ${firstName}` : 'Boas-vindas';
}
