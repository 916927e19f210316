// One file of the inbox: its preview with the places that were read, and the values of its document.
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { TextLink } from '~/components/text-link';
import { ClientCombobox } from '~/features/clients/components/client-combobox';
import { fileQuery } from '~/features/documents/api/files';
import { DayOffNote } from '~/features/documents/components/day-off-note';
import { DocumentViewer } from '~/features/documents/viewer/document-viewer';
import { FolderCombobox } from '~/features/folders/components/folder-combobox';
import { findingsQuery, type InboxFile, type Review } from '~/features/inbox/api';
import {
  describeDuplicate,
  describeReviewers,
  describeWithdrawal,
  marksOf,
  reasonsOf,
} from '~/features/inbox/review-labels';
import { formatDate, toDay } from '~/lib/dates';
import { getExtension } from '~/lib/files/file-name';
import { formatAmount, formatMoney } from '~/lib/money';
import { parseAmount } from '~/lib/payment-codes';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { Field } from '~/ui/field';
import { IconButton } from '~/ui/icon-button';
import { Input } from '~/ui/input';

/** Length from which a client's name may not fit into its field. */
const LONG_NAME = 32;

type ReviewPanelProps = {
  file: InboxFile;
  /** Names of the colleagues who have the file open. */
  reviewers: readonly string[];
  /** Number of changes that were not saved. */
  failures: number;
  /** Why the file is not in the list any more. */
  notice: string | null;
  onReview: (review: Review) => void;
  onDiscard: () => void;
  isDiscarding: boolean;
  onStep: (by: number) => void;
  /** Called to leave a file that is not in the list any more. */
  onLeave: () => void;
  onClose: () => void;
};

export function ReviewPanel({
  file,
  reviewers,
  failures,
  notice,
  onReview,
  onDiscard,
  isDiscarding,
  onStep,
  onLeave,
  onClose,
}: ReviewPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const findings = useQuery(findingsQuery(file.id));
  const isFixed = file.review_group === 'scheduled' || file.review_group === 'published';
  /** Whether the file still waits for choices. */
  const isOpen = !isFixed && notice === null;
  const reasons = isOpen || isFixed ? reasonsOf(file) : [];
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    // Beside the list, or over the page where there is no room for both.
    <Card className="max-xl:fixed max-xl:inset-0 max-xl:z-40 max-xl:overflow-y-auto max-xl:overscroll-contain max-xl:rounded-none max-xl:border-0 xl:sticky xl:top-[calc(5rem+var(--banner,0px))] xl:max-h-[calc(100dvh-11rem-var(--banner,0px))] xl:overflow-y-auto">
      <section aria-label={file.name} className="flex flex-col gap-4 p-5">
        <div className="flex items-start gap-2">
          <h2 ref={heading} tabIndex={-1} className="mr-auto min-w-0 text-lg wrap-anywhere outline-none">
            {file.name}
          </h2>
          <IconButton
            label="Arquivo anterior"
            icon={<ChevronUp size={20} aria-hidden />}
            onClick={() => onStep(-1)}
          />
          <IconButton
            label="Próximo arquivo"
            icon={<ChevronDown size={20} aria-hidden />}
            onClick={() => onStep(1)}
          />
          <IconButton label="Fechar" icon={<X size={20} aria-hidden />} onClick={onClose} />
        </div>
        {/* The line keeps its place, so that a colleague who comes does not move the fields. */}
        <p role="status" className="text-primary -mt-3 -mb-2 min-h-5 text-sm">
          {reviewers.length > 0 && describeReviewers(reviewers)}
        </p>
        {notice !== null && (
          <Alert variant="info">
            <p>{notice}</p>
            <Button variant="secondary" className="mt-3" onClick={onLeave}>
              Ir para o próximo
            </Button>
          </Alert>
        )}
        {reasons.length > 0 && (
          <Alert variant="info">
            <ul>
              {reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
          </Alert>
        )}
        {file.withdrawn_at !== null && (
          <Alert variant="info">
            {describeWithdrawal(file.withdrawn_at)}. O cliente não vê mais este documento.
          </Alert>
        )}
        <Values file={file} failures={failures} isFixed={isFixed} onReview={onReview} />
        {file.duplicate_of_id !== null && isOpen && (
          <Repetition file={file} documentId={file.duplicate_of_id} onReview={onReview} />
        )}
        {file.repeats_id !== null && isOpen && (
          <RepeatedFile file={file} isDiscarding={isDiscarding} onReview={onReview} onDiscard={onDiscard} />
        )}
        {isOpen &&
          file.client !== null &&
          (file.review_group === 'doubtful' || file.review_group === 'problem') && (
            <Button
              variant="secondary"
              className="self-start"
              onClick={() => onReview({ client_id: file.client?.id ?? null })}
            >
              Confirmar o cliente
            </Button>
          )}
        {file.document_id === null ? (
          <DocumentViewer
            type={getExtension(file.name)}
            path={file.file_url}
            name={file.name}
            read={(path) => fileQuery(path, 'inbox')}
            actions={null}
            marks={marksOf(findings.data)}
          />
        ) : (
          <p>
            <TextLink to={paths.adminDocument(file.document_id)}>
              {file.withdrawn_at === null ? 'Ver o documento publicado' : 'Ver o documento recolhido'}
            </TextLink>
          </p>
        )}
      </section>
    </Card>
  );
}

type ValuesProps = {
  file: InboxFile;
  failures: number;
  isFixed: boolean;
  onReview: (review: Review) => void;
};

/** The values of the document. Each is saved when its field is left. */
function Values({ file, failures, isFixed, onReview }: ValuesProps) {
  const clientName = file.client?.fullName ?? '';
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label="Cliente"
        hint={clientName.length > LONG_NAME ? clientName : undefined}
        className="sm:col-span-2"
      >
        {(control) => (
          <ClientCombobox
            {...control}
            initial={file.client}
            revision={`${file.client?.id} ${failures}`}
            keepsSelection
            disabled={isFixed}
            onChange={(client) => onReview({ client_id: client?.id ?? null })}
          />
        )}
      </Field>
      <Value
        label="Nome do documento"
        value={file.document_name ?? ''}
        isFixed={isFixed}
        isRequired
        className="sm:col-span-2"
        onSave={(value) => onReview({ document_name: value })}
      />
      <Field label="Pasta">
        {(control) => (
          <FolderCombobox
            {...control}
            value={file.folder_id_supabase ?? ''}
            keepsSelection
            disabled={isFixed}
            onChange={(folder) => folder !== '' && onReview({ folder_id_supabase: folder })}
          />
        )}
      </Field>
      <Value
        label="Competência"
        type="month"
        value={file.reference_month ?? ''}
        isFixed={isFixed}
        // Firefox shows a text field.
        isValid={(value) => /^\d{4}-\d{2}$/.test(value)}
        fault="Informe um mês, como 2026-10."
        onSave={(value) => onReview({ reference_month: value === '' ? null : value })}
      />
      <Value
        label="Vencimento"
        type="date"
        value={file.expires_at === null ? '' : toDay(file.expires_at)}
        isFixed={isFixed}
        fault="Data inválida"
        onSave={(value) => onReview({ expires_at: value === '' ? null : value })}
      />
      {file.amount_cents !== null && (
        <DayOffNote expiresAt={file.expires_at} category={file.category} className="sm:col-span-2" />
      )}
      <Value
        label="Valor (R$)"
        value={file.amount_cents === null ? '' : formatAmount(file.amount_cents)}
        isFixed={isFixed}
        isValid={(value) => parseAmount(value) !== null}
        fault="Informe um valor, como 1.234,56."
        onSave={(value) => onReview({ amount_cents: value === '' ? null : parseAmount(value) })}
      />
    </div>
  );
}

type ValueProps = {
  label: string;
  value: string;
  type?: 'date' | 'month';
  isFixed: boolean;
  /** Whether an emptied field shows the value again. */
  isRequired?: boolean;
  /** Whether a text can be saved. An empty one always can. */
  isValid?: (text: string) => boolean;
  /** Message about a text that cannot be saved. */
  fault?: string;
  className?: string;
  onSave: (value: string) => void;
};

/** A value that the server changed replaces the shown one, except while the person types another. */
function Value({ label, value, type, isFixed, isRequired, isValid, fault, className, onSave }: ValueProps) {
  const [isFaulty, setIsFaulty] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  /** The value with which the field was filled. */
  const known = useRef(value);
  /** The value that was saved last. The server's follows. */
  const sent = useRef(value);
  useEffect(() => {
    const isOwn = sent.current === value;
    sent.current = value;
    const input = field.current;
    if (!input || known.current === value) return;
    const isUntouched = !isOwn && input.value === known.current && !input.validity.badInput;
    // The answer to an own value may come while the person types the former one again.
    if (document.activeElement !== input || isUntouched) {
      input.value = value;
      setIsFaulty(false);
    }
    known.current = value;
  }, [value]);
  const save = (input: HTMLInputElement) => {
    const text = input.value.trim();
    // An impossible or incomplete date reads as an empty one.
    const isRefused = input.validity.badInput || (text !== '' && isValid?.(text) === false);
    setIsFaulty(isRefused);
    if (isRefused || (text === value && text === sent.current)) return;
    if (isRequired && text === '') {
      input.value = value;
      return;
    }
    sent.current = text;
    onSave(text);
  };
  return (
    <Field label={label} error={isFaulty ? fault : undefined} className={className}>
      {(control) => (
        <Input
          {...control}
          {...(type && { type })}
          ref={field}
          defaultValue={value}
          disabled={isFixed}
          onBlur={({ target }) => save(target)}
          onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
        />
      )}
    </Field>
  );
}

/** The choice for a file that was dropped twice. The other choice is to discard it. */
function RepeatedFile({
  file,
  isDiscarding,
  onReview,
  onDiscard,
}: Pick<ReviewPanelProps, 'file' | 'isDiscarding' | 'onReview' | 'onDiscard'>) {
  return (
    <div className="border-border flex flex-col gap-3 rounded border p-4">
      <p>O mesmo arquivo já está na caixa de entrada. Descarte este, ou mantenha os dois.</p>
      <div className="flex flex-wrap gap-2">
        <Button
          variant={file.repeats_kept ? 'primary' : 'secondary'}
          aria-pressed={file.repeats_kept}
          onClick={() => onReview({ repeats_kept: !file.repeats_kept })}
        >
          Manter os dois
        </Button>
        <Button variant="secondary" pending={isDiscarding} onClick={onDiscard}>
          Descartar este
        </Button>
      </div>
    </div>
  );
}

/** The choices for a file that looks published already. */
function Repetition({
  file,
  documentId,
  onReview,
}: {
  file: InboxFile;
  documentId: string;
  onReview: (review: Review) => void;
}) {
  const { amount_cents: amount = null, expires_at: due = null } = file.duplicate ?? {};
  const details = [
    ...(amount === null ? [] : [formatMoney(amount)]),
    ...(due === null ? [] : [`vence em ${formatDate(due)}`]),
  ];
  return (
    <div className="border-border flex flex-col gap-3 rounded border p-4">
      <p>
        {describeDuplicate(file)}
        {details.length > 0 && ` (${details.join(', ')})`}:{' '}
        <TextLink to={paths.adminDocument(documentId)}>ver o documento</TextLink>.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          variant={file.duplicate_choice === 'replace' ? 'primary' : 'secondary'}
          aria-pressed={file.duplicate_choice === 'replace'}
          onClick={() => onReview({ duplicate_choice: 'replace' })}
        >
          Substituir
        </Button>
        <Button
          variant={file.duplicate_choice === 'keep' ? 'primary' : 'secondary'}
          aria-pressed={file.duplicate_choice === 'keep'}
          onClick={() => onReview({ duplicate_choice: 'keep' })}
        >
          Manter os dois
        </Button>
      </div>
    </div>
  );
}
