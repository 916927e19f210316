// Words of the review: groups, doubts and problems.
import { CATEGORY_NAMES } from '~/features/documents/category-names';
import type { PageMark } from '~/features/documents/viewer/pdf-page';
import type { InboxDoubt, InboxFindings, ReviewGroup } from '~/lib/api/database';
import { daysUntil, formatDate } from '~/lib/dates';
import { pluralize } from '~/lib/format';

import type { InboxFile } from './api';

/** The groups of the review in the order of the tabs. */
export const GROUPS: readonly { value: ReviewGroup; label: string }[] = [
  { value: 'recognized', label: 'Reconhecidos' },
  { value: 'doubtful', label: 'Em dúvida' },
  { value: 'no_owner', label: 'Sem dono' },
  { value: 'problem', label: 'Com problema' },
  { value: 'scheduled', label: 'Agendados' },
  { value: 'published', label: 'Publicados' },
];

const DOUBTS: Record<InboxDoubt, string> = {
  several_clients: 'O arquivo cita mais de um cliente',
  other_name: 'O nome de outro cliente aparece no arquivo',
  other_owner: 'Um CPF ou CNPJ de quem não é cliente aparece como dono',
  pages_not_read: 'Parte do arquivo não pôde ser lida',
  file_name_only: 'Só o nome do arquivo indica o cliente',
  name_only: 'Encontrado pelo nome, sem CPF ou CNPJ',
  out_of_reach: 'Parece de um cliente não atribuído a quem enviou',
};

const PROBLEMS: Record<string, string> = {
  password_protected: 'Protegido por senha: escolha o cliente para publicar assim mesmo',
  damaged: 'O arquivo está danificado ou não pôde ser lido',
  too_large: 'O arquivo é grande demais para ser lido',
};

/** Days after which a file that was not published is removed (`inbox/discard.rs`), and the last ones with a warning. */
const KEPT_DAYS = 30;
const WARNED_DAYS = 7;

/** The warning that a file will be removed soon, or null. */
export function removalWarning(
  { review_group, created_at }: Pick<InboxFile, 'review_group' | 'created_at'>,
  now = new Date(),
): string | null {
  if (review_group === 'published' || review_group === 'scheduled') return null;
  const left = KEPT_DAYS + daysUntil(created_at, now);
  if (left > WARNED_DAYS) return null;
  return left < 1 ? 'Será removido na próxima noite' : `Será removido em ${pluralize(left, 'dia', 'dias')}`;
}

/** The reasons why a file waits for a person. */
export function reasonsOf(file: InboxFile): string[] {
  const reasons: string[] = [];
  const warning = removalWarning(file);
  if (warning !== null) reasons.push(warning);
  if (file.problem !== null && file.review_group === 'problem')
    reasons.push(PROBLEMS[file.problem] ?? file.problem);
  if (file.review_group === 'no_owner' && file.doubts?.includes('out_of_reach'))
    reasons.push(DOUBTS.out_of_reach);
  if (file.review_group === 'doubtful') {
    reasons.push(...(file.doubts ?? []).map((doubt) => DOUBTS[doubt]));
    if (file.duplicate_of_id !== null && file.duplicate_choice === null)
      reasons.push(describeDuplicate(file));
    if (file.repeats_id !== null && !file.repeats_kept)
      reasons.push('O mesmo arquivo já está na caixa de entrada');
    if (file.folder_id_supabase === null) reasons.push('Escolha a pasta');
  }
  return reasons;
}

/**
 * The document that the file repeats: the same bytes, or the same category and month of the client. Their sizes differ in
 * the second case, because the API has no hash of documents.
 */
export function describeDuplicate({
  category,
  reference_month: month,
  size,
  duplicate,
}: Pick<InboxFile, 'category' | 'reference_month' | 'size' | 'duplicate'>): string {
  const isSameSubject =
    category !== null &&
    month !== null &&
    duplicate?.category === category &&
    duplicate.reference_month === month;
  return isSameSubject && duplicate.size !== size
    ? `Já existe ${CATEGORY_NAMES[category] ?? category} de ${formatShortMonth(month)} deste cliente`
    : 'Já existe um documento igual deste cliente';
}

/** Whether the publication replaces the file of a document. */
export function replacesDocument({
  duplicate_of_id,
  duplicate_choice,
}: Pick<InboxFile, 'duplicate_of_id' | 'duplicate_choice'>): boolean {
  return duplicate_of_id !== null && duplicate_choice === 'replace';
}

/** `10/2026` of `2026-10`. */
export function formatShortMonth(month: string): string {
  const [year, number] = month.split('-');
  return `${number}/${year}`;
}

/** The state of a published document that its client does not see any more. */
export function describeWithdrawal(withdrawnAt: string): string {
  return `Recolhido em ${formatDate(withdrawnAt)}`;
}

/** The places on pages where values were read, for the marks on the preview. */
export function marksOf(findings: InboxFindings | null | undefined): PageMark[] {
  if (!findings) return [];
  const { tax_ids, payment_lines, pix, kind, period, due, amount_cents, valid_until } = findings;
  const values = [...tax_ids, ...payment_lines, ...pix, kind, period, due, amount_cents, valid_until];
  return values.flatMap((found) => {
    const place = found?.place;
    return place && (place.in === 'page' || place.in === 'barcode')
      ? [{ page: place.page, ...place.rect }]
      : [];
  });
}

/** The sentence about colleagues who have a file open. */
export function describeReviewers(names: readonly string[]): string {
  const verb = names.length === 1 ? 'está conferindo' : 'estão conferindo';
  return `${new Intl.ListFormat('pt-BR').format(names)} ${verb} este arquivo`;
}
