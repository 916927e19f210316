// Menu of ready texts for a new e-mail template.
import { Sparkles } from 'lucide-react';

import { subjectOf, type MailSubject } from '~/features/email/template-variables';
import { useDialogState } from '~/hooks/use-dialog-state';
import { buttonClasses } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { MenuItem, MenuPopup, MenuRoot, MenuSection, MenuTrigger } from '~/ui/menu';
import type { Option } from '~/ui/select';

const sections: Record<MailSubject, string> = {
  document: 'Documentos',
  ticket: 'Tickets',
  request: 'Solicitações',
};

type StartingPointMenuProps = {
  triggers: readonly Option[];
  /** Whether the form has a text of the user, which the ready text would replace. */
  isWritten: boolean;
  onTake: (trigger: string) => void;
};

export function StartingPointMenu({ triggers, isWritten, onTake }: StartingPointMenuProps) {
  const replacing = useDialogState<string>();
  return (
    <div className="border-border flex flex-wrap items-center justify-between gap-x-4 gap-y-3 border-b px-5 py-4 sm:px-6">
      <p className="text-muted-foreground min-w-0 flex-1 basis-44 text-sm">
        Um texto para cada gatilho, que você ajusta.
      </p>
      <MenuRoot>
        <MenuTrigger className={buttonClasses('secondary', 'max-sm:w-full')}>
          <Sparkles size={20} aria-hidden />
          Começar com um modelo pronto
        </MenuTrigger>
        <MenuPopup>
          {Object.entries(sections).map(([subject, title]) => {
            const offered = triggers.filter(({ value }) => subjectOf(value) === subject);
            if (offered.length === 0) return null;
            return (
              <MenuSection key={subject} title={title}>
                {offered.map(({ value, label }) => (
                  <MenuItem key={value} onClick={() => (isWritten ? replacing.show(value) : onTake(value))}>
                    {label}
                  </MenuItem>
                ))}
              </MenuSection>
            );
          })}
        </MenuPopup>
      </MenuRoot>
      <ConfirmDialog
        open={replacing.open}
        onOpenChange={(open) => !open && replacing.close()}
        title="Usar o modelo pronto?"
        description="O assunto e o conteúdo que você escreveu dão lugar aos do modelo."
        cancel="Ficar com o meu texto"
        confirm="Usar o modelo"
        onConfirm={() => {
          replacing.close();
          if (replacing.item !== null) onTake(replacing.item);
        }}
      />
    </div>
  );
}
