// The lists that a browser keeps for reading without a network, and the fields of each: names, dates and statuses. A list
// or a field that is not named here is not kept. Amounts, payment codes, texts of messages and paths of files are not.
import type { QueryKey } from '@tanstack/react-query';

import { documentKeys } from '~/features/documents/api/documents';
import { lastVisitQuery } from '~/features/documents/api/read-receipts';
import { folderKeys } from '~/features/folders/api';
import { clientChoiceQuery } from '~/features/members/client-choice';
import { requestKeys } from '~/features/requests/api/requests';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { getExtension } from '~/lib/files/file-name';

/** Maximum number of rows of a list. */
export const MAX_ROWS = 200;

type Value = Readonly<Record<string, unknown>>;
type Copy = (data: unknown) => unknown;

/** A field of a row: its value, or what the copy has in its place. */
type Fields = Readonly<Record<string, true | ((value: unknown) => unknown)>>;

const empty = (value: unknown) => () => value;
/** The icon of a document needs the extension, and its state whether there is a file. */
const extension = (path: unknown) => (typeof path === 'string' ? `.${getExtension(path)}` : null);

const expiring: Fields = {
  id: true,
  name: true,
  type: true,
  file_url: extension,
  expires_at: true,
  status: true,
  amount_cents: empty(null),
  payment_line: empty(null),
  pix_code: empty(null),
  document_payments: (payments) => rows({ id: true, paid_on: true })(payments),
};
const folderDocument: Fields = {
  id: true,
  name: true,
  type: true,
  created_at: true,
  expires_at: true,
  uploaded_at: true,
  file_url: extension,
  status: true,
  opened: true,
  document_payments: (payments) => rows({ id: true })(payments),
};
const ticket: Fields = {
  id: true,
  created_at: true,
  updated_at: true,
  closed_at: true,
  status: true,
  subject: true,
  category: true,
  priority: true,
  message: empty(''),
  follow_up_of_id: empty(null),
  document_id: empty(null),
  member_name: empty(null),
  newest: empty([]),
  unread: (notifications) => rows({ id: true })(notifications),
};

/** Copies by the key of the query without its variable parts, which `patternOf` replaces. */
const copies: Readonly<Record<string, Copy>> = {
  [keyOf(folderKeys.all, 'with-counts')]: rows({
    id: true,
    name: true,
    icon: true,
    kind: true,
    documents: true,
  }),
  [keyOf(documentKeys.all, 'folder', '*', '')]: pages(folderDocument),
  [keyOf(documentKeys.all, 'count')]: number,
  [keyOf(documentKeys.all, 'soon')]: withTotal('documents', expiring),
  [keyOf(documentKeys.all, 'overdue')]: withTotal('documents', expiring),
  [keyOf(documentKeys.all, 'upcoming')]: rows(expiring),
  [keyOf(documentKeys.all, 'between', '*', '*')]: rows(expiring),
  [keyOf(documentKeys.all, 'unanswered')]: withTotal('documents', {
    id: true,
    name: true,
    type: true,
    file_url: extension,
    approval_request: true,
  }),
  [keyOf(documentKeys.all, 'new', '*')]: counts,
  [keyOf(lastVisitQuery().queryKey)]: textOrNull,
  [keyOf(ticketKeys.all, 'list', '*', '')]: pages(ticket),
  [keyOf(ticketKeys.all, 'latest')]: rows({ id: true, subject: true, created_at: true, status: true }),
  [keyOf(ticketKeys.all, 'count', '*')]: number,
  [keyOf(ticketKeys.all, 'answers', '*')]: number,
  [keyOf(requestKeys.all, 'missing')]: withTotal('items', {
    id: true,
    name: true,
    month: true,
    due_on: true,
    status: true,
  }),
  [keyOf(clientChoiceQuery().queryKey)]: rows({
    id: true,
    name: true,
    role: true,
    is_active: true,
    member_name: empty(null),
  }),
};

/** Positions of the variable parts of a key, by its first two parts. */
const variableParts: Readonly<Record<string, readonly number[]>> = {
  'documents/folder': [2],
  'documents/between': [2, 3],
  'documents/new': [2],
  'tickets/list': [2],
  'tickets/count': [2],
  'tickets/answers': [2],
};

/** The part of a query's data that the browser keeps, or undefined if it keeps nothing of the query. */
export function storedCopy(queryKey: QueryKey, data: unknown): unknown {
  return copyOf(queryKey)?.(data);
}

/** Whether the browser keeps a list of the query. */
export function isStoredQuery(queryKey: QueryKey): boolean {
  return copyOf(queryKey) !== undefined;
}

function copyOf(queryKey: QueryKey): Copy | undefined {
  const variable = variableParts[queryKey.slice(0, 2).join('/')] ?? [];
  return copies[JSON.stringify(queryKey.map((part, at) => (variable.includes(at) ? '*' : part)))];
}

function keyOf(all: QueryKey, ...parts: string[]): string {
  return JSON.stringify([...all, ...parts]);
}

function row(fields: Fields): (data: unknown) => Value {
  return (data) => {
    const source = isValue(data) ? data : {};
    return Object.fromEntries(
      Object.entries(fields).map(([name, kept]) => [
        name,
        kept === true ? scalar(source[name]) : kept(source[name]),
      ]),
    );
  };
}

function rows(fields: Fields): Copy {
  return (data) => (Array.isArray(data) ? data.slice(0, MAX_ROWS).map(row(fields)) : undefined);
}

/** The first pages of an infinite query. */
function pages(fields: Fields): Copy {
  return (data) => {
    if (!isValue(data) || !Array.isArray(data['pages']) || !Array.isArray(data['pageParams']))
      return undefined;
    const kept: unknown[] = [];
    let count = 0;
    for (const page of data['pages']) {
      if (!Array.isArray(page) || count + page.length > MAX_ROWS) break;
      count += page.length;
      kept.push(page.map(row(fields)));
    }
    return kept.length > 0
      ? { pages: kept, pageParams: data['pageParams'].slice(0, kept.length) }
      : undefined;
  };
}

function withTotal(name: string, fields: Fields): Copy {
  return (data) =>
    isValue(data) && Array.isArray(data[name])
      ? { [name]: rows(fields)(data[name]), total: scalar(data['total']) }
      : undefined;
}

/** Numbers by id. */
function counts(data: unknown): unknown {
  return data instanceof Map
    ? new Map([...data].filter(([id, count]) => typeof id === 'string' && typeof count === 'number'))
    : undefined;
}

function number(data: unknown): unknown {
  return typeof data === 'number' ? data : undefined;
}

function textOrNull(data: unknown): unknown {
  return typeof data === 'string' || data === null ? data : undefined;
}

/** A nested value is kept by its own fields only. */
function scalar(value: unknown): unknown {
  return typeof value === 'object' ? null : value;
}

function isValue(data: unknown): data is Value {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}
