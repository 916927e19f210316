// The greeting of the home page.

/** Words of a company's legal form. The first word of such a name is not a person's. */
const LEGAL_FORM = /(?:^|\s)(?:ltda|me|mei|epp|eireli|s\/?a|s\/?s|cia|&)(?:\s|$)/i;
/** First words of the names of organizations without such a form. */
const ORGANIZATION =
  /^(?:associa|clube|condom|congrega|cooperativa|esp[oó]lio|funda[cç]|igreja|institut|par[oó]quia|sindicato)/i;

/** Greets a person by the first name, and a company or another organization without a name. */
export function greeting(fullName: string | null | undefined): string {
  const name = fullName?.trim().replaceAll('.', '') ?? '';
  const [firstName] = name.split(/\s+/);
  return firstName && !LEGAL_FORM.test(name) && !ORGANIZATION.test(name)
    ? `Boas-vindas, ${firstName}`
    : 'Boas-vindas';
}
