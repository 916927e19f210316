// Box with the variables of e-mail templates.
import { Toolbar } from '@base-ui/react/toolbar';
import { Plus } from 'lucide-react';
import { useId } from 'react';

import { isAvailable, offeredVariables } from '~/features/email/template-variables';
import { cn } from '~/ui/cn';

type VariablesBoxProps = { trigger: string; onInsert: (text: string) => void };

/** Lists the variables. A click inserts the variable. The list has a single tab stop; arrow keys move within it. */
export function VariablesBox({ trigger, onInsert }: VariablesBoxProps) {
  const headingId = useId();
  return (
    <section aria-labelledby={headingId} className="border-border bg-muted rounded border p-3">
      <h2 id={headingId} className="text-sm font-medium">
        Variáveis disponíveis
      </h2>
      <p className="text-muted-foreground text-sm">
        A disponibilidade depende do gatilho do evento. Clique para inserir no assunto ou no conteúdo, onde
        estava o cursor.
      </p>
      <Toolbar.Root
        aria-labelledby={headingId}
        className="-mx-2 mt-1 grid grid-cols-[repeat(auto-fill,minmax(min(14rem,100%),1fr))] gap-1"
      >
        {offeredVariables(trigger).map(({ name, meaning }) => {
          const available = isAvailable(name, trigger);
          return (
            <Toolbar.Button
              key={name}
              aria-label={`Inserir {{${name}}}: ${meaning}`}
              disabled={!available}
              // Keeps the cursor of the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onInsert(`{{${name}}}`)}
              className="not-data-disabled:hover:bg-card flex min-h-11 min-w-0 items-center gap-2 rounded px-2 py-1 text-left transition-colors"
            >
              <span className="min-w-0 flex-1">
                <code
                  className={cn(
                    'text-caption block wrap-anywhere',
                    available ? 'text-primary' : 'text-muted-foreground line-through',
                  )}
                >
                  {`{{${name}}}`}
                </code>
                <span className="text-muted-foreground text-caption block leading-4">
                  {meaning}
                  {!available && ' (não neste gatilho)'}
                </span>
              </span>
              {available && <Plus size={16} aria-hidden className="text-muted-foreground shrink-0" />}
            </Toolbar.Button>
          );
        })}
      </Toolbar.Root>
    </section>
  );
}
