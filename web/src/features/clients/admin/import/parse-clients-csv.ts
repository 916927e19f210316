// Parser of the CSV files of the client import. It returns valid rows and row errors.
import type { Client } from '~/features/clients/api/clients';
import { COMMON_PASSWORD } from '~/lib/api/error-messages';
import { type CsvRow, parseCsv, UnclosedQuoteError } from '~/lib/csv';
import { normalizePassword } from '~/lib/normalize-password';
import { parseTaxId, type TaxId } from '~/lib/tax-id';
import { foldAccents } from '~/lib/text-search';

// oxlint-disable-next-line eslint/no-restricted-imports -- the list belongs to the server, which embeds the same file.
import commonPasswordList from '../../../../../../crates/portaria/src/accounts/common_passwords.txt?raw';
import { clientSchema } from '../client-schema';

export type ClientRow = {
  line: number;
  full_name: string;
  email: string;
  tax_id: string;
  phone: string;
  /** Initial password. Clients without one receive an invitation. */
  password: string;
};
export type RowError = { line: number; who: string; reason: string };
export type ImportTable = {
  lines: ClientRow[];
  rowErrors: RowError[];
  /** Rows that are imported although another client has the same tax id. */
  warnings: RowError[];
};

/** Error of the whole file, such as a missing header row. */
export class CsvError extends Error {}

const columns: Record<'full_name' | 'email' | 'tax_id' | 'phone' | 'password', readonly string[]> = {
  full_name: ['nome', 'nome completo', 'cliente', 'razao social', 'full_name', 'name'],
  email: ['email', 'e-mail'],
  tax_id: ['cpf ou cnpj', 'cpf/cnpj', 'cpf_cnpj', 'cnpj/cpf', 'cpf', 'cnpj'],
  phone: ['telefone', 'celular', 'whatsapp'],
  password: ['senha', 'password'],
};
/** The list with which the server refuses passwords. */
const commonPasswords = new Set(commonPasswordList.split('\n'));
const MAX_NAME = 200;
const MAX_EMAIL = 254;

/** Parses every row, valid or invalid. */
export function parseClientsCsv(text: string, passwordMin: number): ImportTable {
  const [head, ...rows] = rowsOf(text);
  const names = (head?.cells ?? []).map((cell) => foldAccents(cell.trim()));
  /** Places of a column. A file can have one for the CPF and one for the CNPJ. */
  const placesOf = (column: keyof typeof columns) =>
    [...names.keys()].filter((at) => columns[column].includes(names[at] ?? ''));
  const places = {
    full_name: placesOf('full_name'),
    email: placesOf('email'),
    tax_id: placesOf('tax_id'),
    phone: placesOf('phone'),
    password: placesOf('password'),
  };
  if (places.full_name.length === 0 || places.email.length === 0)
    throw new CsvError('A primeira linha precisa dar nome às colunas: “nome” e “email” são obrigatórias.');
  if (rows.length === 0) throw new CsvError('O arquivo não tem nenhum cliente abaixo da primeira linha.');

  const schema = clientSchema('new', passwordMin);
  const table: ImportTable = { lines: [], rowErrors: [], warnings: [] };
  const firstLines = new Map<string, number>();
  for (const { line, cells } of rows) {
    // A dash or a zero stands where there is no value.
    const filled = (column: keyof typeof columns) =>
      places[column].map((at) => (cells[at] ?? '').trim()).filter((value) => /[^\s0./-]/.test(value));
    const cell = (column: keyof typeof columns) => filled(column)[0] ?? '';
    const values = {
      full_name: cell('full_name'),
      email: cell('email').toLowerCase(),
      tax_id: cell('tax_id'),
      phone: cell('phone'),
      password: cells[places.password[0] ?? -1] ?? '',
    };
    const { password } = values;
    const first = firstLines.get(values.email);
    const checked = schema.safeParse({
      ...values,
      invite: password === '',
      mustChangePassword: false,
      confirmPassword: password,
    });
    const reason =
      (cells.length > names.length && cells.slice(names.length).some((extra) => extra.trim() !== '')
        ? 'A linha tem mais colunas que a primeira.'
        : undefined) ??
      (new Set(filled('tax_id').map((value) => parseTaxId(value) ?? value)).size > 1
        ? 'A linha tem mais de um CPF ou CNPJ: deixe o do cliente.'
        : undefined) ??
      checked.error?.issues[0]?.message ??
      (password !== '' && isCommonPassword(password) ? COMMON_PASSWORD : undefined) ??
      (values.full_name.length > MAX_NAME || values.email.length > MAX_EMAIL
        ? 'Um dos campos passou do tamanho permitido.'
        : undefined) ??
      (first === undefined ? undefined : `Email repetido: já está na linha ${first}.`);
    if (reason === undefined) {
      firstLines.set(values.email, line);
      table.lines.push({ line, ...values });
    } else table.rowErrors.push({ line, who: values.email || values.full_name, reason });
  }
  return table;
}

function isCommonPassword(password: string): boolean {
  return commonPasswords.has(normalizePassword(password).toLowerCase());
}

/** Moves rows with an existing e-mail address to the row errors. */
export function excludeExisting(
  { lines, rowErrors, warnings }: ImportTable,
  taken: ReadonlySet<string>,
): ImportTable {
  const known = lines.filter(({ email }) => taken.has(email));
  return {
    warnings,
    lines: lines.filter(({ email }) => !taken.has(email)),
    rowErrors: [
      ...rowErrors,
      ...known.map(({ line, email }) => ({
        line,
        who: email,
        reason: 'Já existe um cliente com este email.',
      })),
    ].toSorted((a, b) => a.line - b.line),
  };
}

/** Distinct tax ids of the rows. */
export function taxIdsOf(lines: readonly ClientRow[]): TaxId[] {
  return [...new Set(lines.map((line) => parseTaxId(line.tax_id)).filter((taxId) => taxId !== null))];
}

/** Warns of rows with the tax id of an existing client, one of `owners`, or of an earlier row. */
export function warnOfSharedTaxIds(table: ImportTable, owners: readonly Client[]): ImportTable {
  const names = new Map(owners.map(({ taxId, fullName, email }) => [taxId, fullName ?? email]));
  const warnings: RowError[] = [];
  const firstLines = new Map<TaxId, number>();
  for (const { line, email, tax_id } of table.lines) {
    const taxId = parseTaxId(tax_id);
    if (taxId === null) continue;
    const owner = names.get(taxId);
    const first = firstLines.get(taxId);
    if (owner !== undefined)
      warnings.push({ line, who: email, reason: `Este CPF ou CNPJ já é de ${owner}.` });
    else if (first === undefined) firstLines.set(taxId, line);
    else warnings.push({ line, who: email, reason: `CPF ou CNPJ repetido: já está na linha ${first}.` });
  }
  return { ...table, warnings };
}

function rowsOf(text: string): CsvRow[] {
  try {
    return parseCsv(text);
  } catch (error) {
    if (error instanceof UnclosedQuoteError)
      throw new CsvError(`As aspas abertas na linha ${error.line} não foram fechadas.`);
    throw error;
  }
}
