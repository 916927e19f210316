// The files of a group, a line for each, with selection and keyboard.
import { useEffect, useEffectEvent, useRef, useState } from 'react';

import type { InboxFile } from '~/features/inbox/api';
import {
  describeReviewers,
  describeWithdrawal,
  formatShortMonth,
  reasonsOf,
  replacesDocument,
} from '~/features/inbox/review-labels';
import type { Reviewers } from '~/features/inbox/use-review-presence';
import { isFloatingOpen, useKeyShortcuts } from '~/hooks/use-key-shortcuts';
import { useWindowRows } from '~/hooks/use-window-rows';
import { formatDate } from '~/lib/dates';
import { getInitials } from '~/lib/format';
import { formatMoney } from '~/lib/money';
import { Badge } from '~/ui/badge';
import { Card } from '~/ui/card';
import { cn } from '~/ui/cn';
import { Spinner } from '~/ui/spinner';

import type { InboxSelection } from './use-inbox-selection';

type InboxTableProps = {
  files: readonly InboxFile[];
  /** Number of files of the group, which may be more than those of `files`. */
  total: number;
  selection: InboxSelection;
  openId: string | null;
  reviewers: Reviewers;
  onOpen: (id: string) => void;
  onStep: (by: number) => void;
  onClose: () => void;
};

/** Usual height of a line in CSS pixels. */
const LINE_HEIGHT = 57;

const LAYOUT =
  'grid grid-cols-[2.75rem_minmax(0,1fr)] items-center gap-x-3 @3xl:grid-cols-[2.75rem_minmax(0,2fr)_minmax(0,1.6fr)_minmax(0,1fr)_5.5rem_6.5rem_7rem]';

export function InboxTable({
  files,
  total,
  selection,
  openId,
  reviewers,
  onOpen,
  onStep,
  onClose,
}: InboxTableProps) {
  // The line that had the focus last stays in the document, or the focus would be lost.
  const [focusedId, setFocusedId] = useState<string | null>(null);
  const keys = files.map(({ id }) => id);
  const openAt = openId === null ? -1 : keys.indexOf(openId);
  const focusedAt = focusedId === null ? -1 : keys.indexOf(focusedId);
  const { list, virtualizer } = useWindowRows({ keys, estimate: LINE_HEIGHT, kept: [openAt, focusedAt] });
  useEffect(() => {
    if (openAt >= 0) virtualizer.scrollToIndex(openAt, { align: 'auto' });
  }, [openAt, virtualizer]);
  const lastOpenId = useRef<string | null>(null);
  useEffect(() => {
    const closedId = openId === null ? lastOpenId.current : null;
    lastOpenId.current = openId;
    // The panel had the focus and is gone. Its line gets it.
    if (closedId === null || document.activeElement !== document.body) return;
    const line = list.current?.querySelector<HTMLElement>(`[data-row="${closedId}"] button`);
    line?.focus({ preventScroll: true });
  }, [openId, list]);
  const toggle = (id: string) => {
    const next = new Set(selection.ids);
    if (!next.delete(id)) next.add(id);
    selection.select(next);
  };
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isFloatingOpen(event.target)) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && openId !== null && !isScrolling(event.target)) {
      event.preventDefault();
      onStep(by);
    } else if (event.key === 'Escape') onClose();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  useKeyShortcuts(
    openId === null ? {} : { j: () => onStep(1), k: () => onStep(-1), x: () => toggle(openId) },
  );
  return (
    <Card className="@container">
      <div
        role="table"
        aria-label="Arquivos da caixa de entrada"
        aria-rowcount={total + 1}
        className="text-body"
      >
        <div role="rowgroup">
          <div
            role="row"
            aria-rowindex={1}
            className={cn(
              LAYOUT,
              'border-border text-caption text-muted-foreground border-b px-4 py-2 font-medium',
            )}
          >
            <span role="columnheader">
              <SelectAllBox selection={selection} />
            </span>
            <span role="columnheader">Documento</span>
            {['Cliente', 'Pasta', 'Competência', 'Vencimento', 'Valor'].map((header) => (
              <span key={header} role="columnheader" className="@max-3xl:sr-only">
                {header}
              </span>
            ))}
          </div>
        </div>
        <div ref={list} role="rowgroup" className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const file = files[index];
            return (
              file && (
                <div
                  key={file.id}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  data-row={file.id}
                  role="row"
                  aria-rowindex={index + 2}
                  aria-current={file.id === openId || undefined}
                  style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
                  className={cn(
                    LAYOUT,
                    'border-border hover:bg-muted/60 absolute inset-x-0 top-0 min-h-14 border-b px-4 py-1.5',
                    index === files.length - 1 && 'border-b-0',
                    file.id === openId && 'bg-primary-subtle hover:bg-primary-subtle',
                  )}
                >
                  <Line
                    file={file}
                    isSelected={selection.ids.has(file.id)}
                    reviewers={reviewers.get(file.id)}
                    onFocus={() => setFocusedId(file.id)}
                    onToggle={() => toggle(file.id)}
                    onOpen={() => onOpen(file.id)}
                  />
                </div>
              )
            );
          })}
        </div>
      </div>
    </Card>
  );
}

/** While it loads files, a spinner is in the place of the box, which keeps the focus. */
function SelectAllBox({ selection }: { selection: InboxSelection }) {
  const { isAll, isLoading, files, clear, selectAll } = selection;
  return (
    <label className="touch-target -my-1 -ml-3 grid place-items-center">
      <input
        type="checkbox"
        aria-label="Selecionar todos os arquivos da lista"
        aria-busy={isLoading || undefined}
        checked={isAll}
        ref={(box) => {
          if (box) box.indeterminate = !isAll && files.length > 0;
        }}
        onChange={() => {
          if (isAll) clear();
          else if (!isLoading) selectAll();
        }}
        className={cn('accent-primary col-start-1 row-start-1 size-5', isLoading && 'opacity-0')}
      />
      {isLoading && (
        <span className="text-primary col-start-1 row-start-1">
          <Spinner />
        </span>
      )}
    </label>
  );
}

type LineProps = {
  file: InboxFile;
  isSelected: boolean;
  reviewers: readonly string[] | undefined;
  onFocus: () => void;
  onToggle: () => void;
  onOpen: () => void;
};

/** The cells of a line. */
function Line({ file, isSelected, reviewers = [], onFocus, onToggle, onOpen }: LineProps) {
  const name = file.document_name ?? file.name;
  const client = file.client?.fullName ?? file.client?.email ?? null;
  const reasons = reasonsOf(file);
  return (
    <>
      <span role="cell" className="z-10">
        <label className="touch-target -my-1 -ml-3 flex items-center justify-center">
          <input
            type="checkbox"
            aria-label={`Selecionar ${name}`}
            checked={isSelected}
            onFocus={onFocus}
            onChange={onToggle}
            className="accent-primary size-5"
          />
        </label>
      </span>
      <span role="cell" className="flex min-w-0 items-center gap-2">
        <span className="min-w-0">
          <button
            type="button"
            onFocus={onFocus}
            onClick={onOpen}
            // The whole line opens the file.
            className="block max-w-full rounded text-left font-medium after:absolute after:inset-0 hover:underline"
          >
            <span className="line-clamp-1 wrap-anywhere">{name}</span>
          </button>
          {reasons.length > 0 ? (
            <span className="text-warning line-clamp-2 text-sm">{reasons.join(' · ')}</span>
          ) : (
            name !== file.name && (
              <span className="text-muted-foreground line-clamp-1 text-sm wrap-anywhere" title={file.name}>
                {file.name}
              </span>
            )
          )}
          {file.document_id === null && replacesDocument(file) && (
            <Badge tone="neutral" className="my-0.5">
              Substitui um documento
            </Badge>
          )}
          {file.withdrawn_at !== null && (
            <Badge tone="neutral" className="my-0.5">
              {describeWithdrawal(file.withdrawn_at)}
            </Badge>
          )}
        </span>
        {reviewers.map((reviewer) => (
          <span
            key={reviewer}
            title={describeReviewers([reviewer])}
            className="bg-primary text-primary-foreground grid size-7 shrink-0 place-items-center rounded-full text-xs font-semibold"
          >
            <span aria-hidden>{getInitials(reviewer)}</span>
            <span className="sr-only">{describeReviewers([reviewer])}</span>
          </span>
        ))}
      </span>
      <span className="col-start-2 flex flex-wrap gap-x-3 text-sm @3xl:contents">
        <Cell label="Cliente" value={client} missing="Sem cliente" />
        <Cell label="Pasta" value={file.folder} missing="Sem pasta" />
        <Cell label="Competência" value={file.reference_month && formatShortMonth(file.reference_month)} />
        <Cell label="Vencimento" value={file.expires_at && formatDate(file.expires_at)} />
        <Cell label="Valor" value={file.amount_cents === null ? null : formatMoney(file.amount_cents)} />
      </span>
    </>
  );
}

function Cell({ label, value, missing }: { label: string; value: string | null; missing?: string }) {
  return (
    <span
      role="cell"
      className={cn(
        'min-w-0 tabular-nums wrap-anywhere @3xl:text-body',
        value === null && missing === undefined && '@max-3xl:hidden',
      )}
    >
      <span className="text-muted-foreground @3xl:hidden">{label}: </span>
      {value === null ? (
        <span className={missing === undefined ? undefined : 'text-warning'}>{missing}</span>
      ) : (
        <span className="@3xl:line-clamp-1" title={value}>
          {value}
        </span>
      )}
    </span>
  );
}

/** Whether the target of an event is a field in which a letter is text. */
function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox';
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Whether the target of an event is in a region that the arrow keys scroll. */
function isScrolling(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role=region][tabindex="0"]') !== null;
}
