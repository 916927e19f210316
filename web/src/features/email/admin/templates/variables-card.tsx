// Card with the variables of e-mail templates.
import { Plus } from 'lucide-react';

import { isAvailable, offeredVariables } from '~/features/email/template-variables';
import { Panel } from '~/ui/card';
import { cn } from '~/ui/cn';

type VariablesCardProps = { trigger: string; onInsert: (text: string) => void };

/** Lists the variables. A click inserts the variable at the last cursor position. */
export function VariablesCard({ trigger, onInsert }: VariablesCardProps) {
  return (
    <Panel title="Variáveis disponíveis">
      <p className="text-muted-foreground px-5 pt-4 text-sm">
        A disponibilidade depende do gatilho do evento. Clique para inserir no conteúdo.
      </p>
      <ul className="p-2">
        {offeredVariables(trigger).map(({ name, meaning }) => {
          const available = isAvailable(name, trigger);
          return (
            <li key={name}>
              <button
                type="button"
                aria-label={`Inserir {{${name}}}: ${meaning}`}
                disabled={!available}
                onClick={() => onInsert(`{{${name}}}`)}
                className="not-disabled:hover:bg-muted flex min-h-11 w-full items-center gap-3 rounded px-3 py-1.5 text-left transition-colors"
              >
                <span className="min-w-0 flex-1">
                  <code
                    className={cn(
                      'text-sm wrap-anywhere',
                      available ? 'text-primary' : 'text-muted-foreground line-through',
                    )}
                  >
                    {`{{${name}}}`}
                  </code>
                  <span className="text-muted-foreground block text-sm">
                    {meaning}
                    {!available && ' (não neste gatilho)'}
                  </span>
                </span>
                {available && <Plus size={18} aria-hidden className="text-muted-foreground" />}
              </button>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
