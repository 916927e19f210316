// Content field of an e-mail template, with a visual editor and an HTML mode.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { CodeXml, PencilLine } from 'lucide-react';
import { type ReactNode, type Ref, useImperativeHandle, useRef, useState } from 'react';

import type { EditorHandle } from '~/features/email/editor/email-editor';
import { useDialogState } from '~/hooks/use-dialog-state';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { Field } from '~/ui/field';
import { Textarea } from '~/ui/input';
import { Skeleton } from '~/ui/skeleton';
import { ToggleGroup } from '~/ui/toggle-group';

import { insertAtCursor } from './insert-at-cursor';

type Mode = 'visual' | 'html';

const MODES: { value: Mode | null; label: string; icon: ReactNode }[] = [
  { value: 'visual', label: 'Editor visual', icon: <PencilLine size={18} aria-hidden /> },
  { value: 'html', label: 'HTML puro', icon: <CodeXml size={18} aria-hidden /> },
];

/** Module of the visual editor, a large chunk that loads on demand. */
function editorQuery() {
  return queryOptions({
    queryKey: ['visual-editor'],
    queryFn: () => import('~/features/email/editor/email-editor'),
    staleTime: Infinity,
    gcTime: Infinity,
    structuralSharing: false,
  });
}

type TemplateContentProps = {
  value: string;
  onChange: (html: string) => void;
  onFocus: () => void;
  error: string | undefined;
  hint: ReactNode;
  ref?: Ref<EditorHandle>;
};

/**
 * Content field. HTML typed by the user stays unchanged until an edit in the visual editor, which first lists the
 * markup that it would drop. The visual editor reads its content once, so a value from elsewhere mounts the field again.
 */
export function TemplateContentField({ value, onChange, ...props }: TemplateContentProps) {
  const [shown, setShown] = useState({ html: value, revision: 0 });
  if (shown.html !== value) setShown({ html: value, revision: shown.revision + 1 });
  return (
    <ContentField
      key={shown.revision}
      value={value}
      onChange={(html) => {
        setShown(({ revision }) => ({ html, revision }));
        onChange(html);
      }}
      {...props}
    />
  );
}

function ContentField({ value, onChange, onFocus, error, hint, ref }: TemplateContentProps) {
  const loaded = useQuery(editorQuery());
  const [initial] = useState(value);
  const [chosen, setChosen] = useState<Mode | null>(null);
  const droppedMarkup = useDialogState<string[]>();
  const visual = useRef<EditorHandle>(null);
  const html = useRef<HTMLTextAreaElement>(null);
  const mode = chosen ?? firstMode();

  function firstMode(): Mode | null {
    if (loaded.isError) return 'html';
    if (!loaded.data) return null;
    return loaded.data.findDroppedMarkup(initial).length === 0 ? 'visual' : 'html';
  }

  const toVisual = () => {
    if (!loaded.data) return void loaded.refetch();
    const dropped = loaded.data.findDroppedMarkup(value);
    if (dropped.length === 0) setChosen('visual');
    else droppedMarkup.show(dropped);
  };

  useImperativeHandle(ref, () => ({
    insert(text) {
      visual.current?.insert(text);
      if (html.current) insertAtCursor(html.current, text);
    },
    focus() {
      visual.current?.focus();
      html.current?.focus();
    },
  }));

  return (
    <div className="flex flex-col gap-2" onFocus={onFocus}>
      <Field label="Conteúdo HTML do Email *" required error={error} hint={hint}>
        {(control) => (
          <>
            <ToggleGroup
              label="Modo de edição"
              variant="quiet"
              value={mode}
              options={MODES}
              onChange={(next) => (next === 'visual' ? toVisual() : setChosen('html'))}
              className="self-start"
            />
            {mode === null && <Skeleton className="h-96" />}
            {mode === 'visual' && loaded.data && (
              <loaded.data.EmailEditor control={control} initial={value} onChange={onChange} ref={visual} />
            )}
            {mode === 'html' && (
              <Textarea
                {...control}
                ref={html}
                rows={15}
                value={value}
                spellCheck={false}
                className="font-mono text-sm"
                onChange={({ target }) => onChange(target.value)}
              />
            )}
          </>
        )}
      </Field>
      {chosen === null && mode === 'html' && !loaded.isError && (
        <p className="text-muted-foreground text-sm">
          Aberto como HTML: este conteúdo tem partes que o editor visual não consegue manter.
        </p>
      )}
      <ConfirmDialog
        open={droppedMarkup.open}
        onOpenChange={(open) => !open && droppedMarkup.close()}
        title="O editor visual não mantém tudo"
        description={
          <>
            <p>Ao editar no modo visual, isto se perde do HTML que você digitou:</p>
            <ul className="mt-3 list-disc pl-5 wrap-anywhere">
              {droppedMarkup.item?.slice(0, SHOWN).map((loss) => (
                <li key={loss}>{loss}</li>
              ))}
              {(droppedMarkup.item?.length ?? 0) > SHOWN && (
                <li>e mais {(droppedMarkup.item?.length ?? 0) - SHOWN}</li>
              )}
            </ul>
            <p className="mt-3">Enquanto você não alterar nada ali, o HTML continua como está.</p>
          </>
        }
        cancel="Continuar no HTML"
        confirm="Abrir no editor visual"
        onConfirm={() => {
          droppedMarkup.close();
          setChosen('visual');
        }}
      />
    </div>
  );
}

const SHOWN = 8;
