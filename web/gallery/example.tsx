// One example of a piece.
import type { ReactNode } from 'react';

/** A text without a space that a layout has to break or cut. */
export const LONG_WORD =
  'Demonstrativo_de_apuracao_do_imposto_consolidado_da_filial_de_Sao_Paulo_versao_final';
/** A name that is longer than most places for it. */
export const LONG_NAME =
  'Associação Beneficente dos Produtores de Hortaliças Orgânicas do Vale do Ribeira e Litoral Sul Ltda.';

/** A variant or a state of a piece with its name. */
export function Example({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-muted-foreground text-sm font-medium">{title}</h3>
      {children}
    </div>
  );
}

/** Examples side by side. */
export function Row({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-3">{children}</div>;
}
