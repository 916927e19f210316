// Dialog with the keyboard shortcuts of the back office.
import { useState } from 'react';

import { useRights } from '~/features/auth/rights';
import { areShortcutsOn, setShortcutsOn } from '~/lib/shortcut-settings';
import { Checkbox } from '~/ui/checkbox';
import { Dialog } from '~/ui/dialog';

const MOD_KEY = /Mac|iP(?:hone|ad)/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

type Section = { title: string; shortcuts: [keys: string[], action: string][]; isForWriters?: boolean };

const sections: Section[] = [
  {
    title: 'Em todas as páginas',
    shortcuts: [
      [['Ctrl', 'K'], 'Buscar clientes, documentos, tickets e páginas'],
      [['Z'], 'Desfazer a exclusão do aviso'],
      [['?'], 'Mostrar os atalhos'],
    ],
  },
  {
    title: 'Nas listas',
    shortcuts: [
      [['J'], 'Próxima linha'],
      [['K'], 'Linha anterior'],
      [['Enter'], 'Abrir a linha'],
      [['X'], 'Selecionar a linha'],
      [['Shift', 'clique'], 'Selecionar até aqui'],
      [['R'], 'Tickets: responder à linha'],
      [['A'], 'Tickets: assumir a linha'],
      [['E'], 'Tickets: fechar a linha; clientes: editar'],
    ],
  },
  {
    title: 'Na página de um ticket',
    isForWriters: true,
    shortcuts: [
      [['R'], 'Responder'],
      [[MOD_KEY, 'Enter'], 'Enviar a resposta'],
      [['A'], 'Assumir o ticket'],
      [['E'], 'Fechar o ticket'],
    ],
  },
];

type ShortcutsDialogProps = { open: boolean; onOpenChange: (open: boolean) => void };

export function ShortcutsDialog({ open, onOpenChange }: ShortcutsDialogProps) {
  const { mayWrite } = useRights();
  const [isOn, setIsOn] = useState(areShortcutsOn);
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Atalhos de teclado">
      <div className="flex flex-col gap-5">
        {sections
          .filter(({ isForWriters = false }) => mayWrite || !isForWriters)
          .map(({ title, shortcuts }) => (
            <section key={title}>
              <h3 className="text-muted-foreground text-sm">{title}</h3>
              <dl className="divide-border mt-1 divide-y">
                {shortcuts.map(([keys, action]) => (
                  <div key={action} className="flex items-center justify-between gap-4 py-2">
                    <dt className="text-body">{action}</dt>
                    <dd className="flex shrink-0 gap-1">
                      {keys.map((key) => (
                        <Kbd key={key}>{key}</Kbd>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        <Checkbox
          label="Usar atalhos de uma tecla"
          hint="Desligue se você dita textos ou se um programa de acessibilidade usa essas teclas."
          checked={isOn}
          onChange={({ target }) => {
            setShortcutsOn(target.checked);
            setIsOn(target.checked);
          }}
        />
      </div>
    </Dialog>
  );
}

function Kbd({ children }: { children: string }) {
  return (
    <kbd className="border-border bg-muted text-caption inline-flex h-7 min-w-7 items-center justify-center rounded-md border px-2 font-sans font-medium">
      {children}
    </kbd>
  );
}
