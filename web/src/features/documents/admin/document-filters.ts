// Filters of the document list, kept in URL parameters, which can be bookmarked and shared.
import type {
  ApprovalFilter,
  DocumentFilters,
  PaymentFilter,
} from '~/features/documents/api/admin-documents';
import { folderKindLabels } from '~/features/documents/document-labels';
import { DUE_VALUES, dueLabels, dueRanges, parseDueRange } from '~/features/documents/due-ranges';
import type { FolderKind } from '~/lib/api/database';
import { type Option, toOptions } from '~/ui/select';

/** Names of the URL parameters, in Portuguese. */
export const PARAM_NAMES = {
  search: 'busca',
  opening: 'abertura',
  due: 'vencimento',
  folder: 'pasta',
  kind: 'tipo',
  status: 'situacao',
  payment: 'pagamento',
  approval: 'resposta',
} as const satisfies Record<keyof DocumentFilters, string>;

const OPENING_VALUES = { unopened: 'nao-abertos', opened: 'abertos' } as const;
const STATUS_VALUES = { active: 'ativos', pending: 'pendentes', inactive: 'inativos' } as const;
const PAYMENT_VALUES = { unpaid: 'a-pagar', paid: 'pagos' } as const satisfies Record<PaymentFilter, string>;

const APPROVAL_VALUES = {
  waiting: 'aguardando',
  approved: 'aprovados',
  refused: 'recusados',
  acknowledged: 'cientes',
} as const satisfies Record<ApprovalFilter, string>;

export const openingOptions: Option[] = [
  { value: OPENING_VALUES.unopened, label: 'Não abertos' },
  { value: OPENING_VALUES.opened, label: 'Abertos' },
];
export const statusOptions: Option[] = [
  { value: STATUS_VALUES.active, label: 'Ativos' },
  { value: STATUS_VALUES.pending, label: 'Pendentes' },
  { value: STATUS_VALUES.inactive, label: 'Inativos' },
];
export const paymentOptions: Option[] = [
  { value: PAYMENT_VALUES.unpaid, label: 'A pagar' },
  { value: PAYMENT_VALUES.paid, label: 'Pagos' },
];
export const approvalOptions: Option[] = [
  { value: APPROVAL_VALUES.waiting, label: 'Aguardando' },
  { value: APPROVAL_VALUES.approved, label: 'Aprovados' },
  { value: APPROVAL_VALUES.refused, label: 'Recusados' },
  { value: APPROVAL_VALUES.acknowledged, label: 'Cientes' },
];
export const kindOptions = toOptions(folderKindLabels);
export const dueOptions = dueRanges.map((due) => ({ value: DUE_VALUES[due], label: dueLabels[due] }));

/** Parses the URL parameters. Unknown values are ignored. */
export function parseDocumentFilters(params: URLSearchParams): DocumentFilters {
  const get = (name: keyof DocumentFilters) => params.get(PARAM_NAMES[name]);
  return {
    search: get('search') ?? '',
    opening: keyOf(OPENING_VALUES, get('opening')),
    due: parseDueRange(get('due')),
    folder: get('folder') ?? '',
    kind: parseKind(get('kind')),
    status: keyOf(STATUS_VALUES, get('status')),
    payment: keyOf(PAYMENT_VALUES, get('payment')),
    approval: keyOf(APPROVAL_VALUES, get('approval')),
  };
}

function keyOf<Key extends string>(values: Readonly<Record<Key, string>>, value: string | null): Key | null {
  const isKey = (key: string): key is Key => Object.hasOwn(values, key);
  return (
    Object.keys(values)
      .filter(isKey)
      .find((key) => values[key] === value) ?? null
  );
}

function parseKind(value: string | null): FolderKind | null {
  return value !== null && isKind(value) ? value : null;
}

const isKind = (text: string): text is FolderKind => Object.hasOwn(folderKindLabels, text);
