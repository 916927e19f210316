// Menu of a list table: its columns and the height of its rows.
import { SlidersHorizontal } from 'lucide-react';

import { buttonClasses } from '~/ui/button';
import {
  MenuCheckboxItem,
  MenuPopup,
  MenuRadioGroup,
  MenuRadioItem,
  MenuRoot,
  MenuSection,
  MenuTrigger,
} from '~/ui/menu';

import type { ListSettings } from './use-list-settings';

export type ColumnChoice = {
  id: string;
  header: string;
  isShown: boolean;
  /** Whether a shown column has room in the window. */
  fits: boolean;
};

type ListSettingsMenuProps = {
  choices: readonly ColumnChoice[];
  settings: ListSettings;
  onChange: (changes: Partial<ListSettings>) => void;
};

export function ListSettingsMenu({ choices, settings, onChange }: ListSettingsMenuProps) {
  return (
    <MenuRoot>
      <MenuTrigger className={buttonClasses('secondary')}>
        <SlidersHorizontal size={20} aria-hidden />
        Exibição
      </MenuTrigger>
      <MenuPopup>
        <MenuSection title="Colunas">
          {choices.map(({ id, header, isShown, fits }) => (
            <MenuCheckboxItem
              key={id}
              checked={isShown}
              note={isShown && !fits ? 'Não cabe nesta largura' : undefined}
              onCheckedChange={(checked) => onChange({ columns: { ...settings.columns, [id]: checked } })}
            >
              {header}
            </MenuCheckboxItem>
          ))}
        </MenuSection>
        <MenuSection title="Altura das linhas">
          <MenuRadioGroup
            value={settings.density}
            onValueChange={(density: string) =>
              onChange({ density: density === 'compact' ? 'compact' : 'comfortable' })
            }
          >
            <MenuRadioItem value="comfortable">Confortável</MenuRadioItem>
            <MenuRadioItem value="compact">Compacta</MenuRadioItem>
          </MenuRadioGroup>
        </MenuSection>
      </MenuPopup>
    </MenuRoot>
  );
}
