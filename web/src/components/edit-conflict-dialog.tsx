// Dialog about a save that was refused because another person had changed the record.
import { useLocation } from 'react-router';

import type { EditConflict, RecordChange } from '~/hooks/use-guarded-save';
import { formatDateTime, toDay, today } from '~/lib/dates';
import { Button } from '~/ui/button';
import { cn } from '~/ui/cn';
import { Dialog } from '~/ui/dialog';

import { TextLink } from './text-link';

/** The parameter of a page that shows the saved version of a record, without a draft. */
export const SAVED_VERSION = 'versao-salva';

type EditConflictDialogProps<Values> = {
  /** The conflict remains after closing, for the exit animation. */
  conflict: { open: boolean; item: EditConflict<unknown, Values> | null; close: () => void };
  /** The fields to compare, with their labels. */
  labels: Partial<Record<keyof Values & string, string>>;
  /** Text of a value; by default the value itself. */
  describe?: (field: keyof Values, value: Values[keyof Values]) => string;
  pending: boolean;
  onDiscard: () => void;
  onOverwrite: () => void;
};

/** Shows both versions of the changed fields. Closing the dialog keeps the person's input in the form. */
export function EditConflictDialog<Values>({
  conflict: { open, item: conflict, close },
  labels,
  describe = (_, value) => String(value),
  pending,
  onDiscard,
  onOverwrite,
}: EditConflictDialogProps<Values>) {
  const { pathname } = useLocation();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the type are those of the object.
  const fields = Object.keys(labels) as (keyof Values & string)[];
  const changed = conflict ? fields.filter((field) => conflict.before[field] !== conflict.saved[field]) : [];
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && !pending && close()}
      title="A sua alteração ainda não foi salva"
      className="sm:max-w-xl"
      footer={
        <>
          <Button variant="secondary" disabled={pending} onClick={onDiscard}>
            Usar a versão salva
          </Button>
          <Button variant="danger" pending={pending} onClick={onOverwrite}>
            Salvar a minha por cima
          </Button>
        </>
      }
    >
      {conflict && (
        <div className="flex flex-col gap-4">
          <p>
            <strong className="font-semibold wrap-anywhere">{changeText(conflict.change)}</strong>
            {', depois que você abriu esta página. O que você escreveu continua no formulário.'}
          </p>
          {changed.map((field) => (
            <section key={field}>
              <h3 className="text-body font-semibold">{labels[field]}</h3>
              <dl className="mt-1 grid gap-2 sm:grid-cols-2">
                <Version
                  term="Versão salva"
                  label={labels[field]}
                  text={describe(field, conflict.saved[field])}
                />
                {conflict.mine[field] === conflict.before[field] ||
                conflict.mine[field] === conflict.saved[field] ? (
                  <Version term="Sua versão" text="Sem alteração sua: fica a versão salva." quiet />
                ) : (
                  <Version
                    term="Sua versão"
                    label={labels[field]}
                    text={describe(field, conflict.mine[field])}
                  />
                )}
              </dl>
            </section>
          ))}
          <TextLink to={`${pathname}?${SAVED_VERSION}`} target="_blank">
            Ver a versão salva em outra aba
          </TextLink>
        </div>
      )}
    </Dialog>
  );
}

type VersionProps = { term: string; label?: string | undefined; text: string; quiet?: boolean };

function Version({ term, label = '', text, quiet = false }: VersionProps) {
  return (
    <div className="border-border min-w-0 rounded border px-3 py-2">
      <dt className="text-muted-foreground text-sm">{term}</dt>
      <dd>
        {text.length > SCROLLED_CHARS ? (
          // The keyboard has to reach a text that scrolls.
          <div
            role="region"
            aria-label={`${label}: ${term}`}
            tabIndex={0}
            className="max-h-40 overflow-y-auto wrap-anywhere whitespace-pre-wrap"
          >
            {text}
          </div>
        ) : (
          <span className={cn('wrap-anywhere', quiet && 'text-muted-foreground text-sm')}>
            {text === '' ? '(vazio)' : text}
          </span>
        )}
      </dd>
    </div>
  );
}

/** Number of characters above which a text may need more than the height of its box. */
const SCROLLED_CHARS = 150;

/** `Alterado por Ana Prado às 14:32`, with the date unless it was today. */
function changeText({ author, at }: RecordChange): string {
  const by = author === null ? 'Alterado' : `Alterado por ${author}`;
  if (at === null) return author === null ? 'Alterado por outra pessoa' : by;
  const time = formatDateTime(at);
  return toDay(at) === today() ? `${by} ${time.slice(time.indexOf('às'))}` : `${by} em ${time}`;
}
