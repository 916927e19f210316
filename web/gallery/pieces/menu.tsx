import { Pencil, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { buttonClasses } from '~/ui/button';
import {
  MenuCheckboxItem,
  MenuItem,
  MenuLinkItem,
  MenuPopup,
  MenuRadioGroup,
  MenuRadioItem,
  MenuRoot,
  MenuSection,
  MenuTrigger,
} from '~/ui/menu';

import { Example, Row } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Actions, disabled, danger, link">
        <Actions />
      </Example>
      <Example title="Sections with check boxes and a choice">
        <Settings />
      </Example>
    </>
  );
}

function Actions() {
  const [done, setDone] = useState('nada');
  return (
    <Row>
      <MenuRoot>
        <MenuTrigger className={buttonClasses('secondary')}>Ações do documento</MenuTrigger>
        <MenuPopup>
          <MenuItem icon={<Pencil size={18} aria-hidden />} onClick={() => setDone('editar')}>
            Editar
          </MenuItem>
          <MenuItem icon={<Send size={18} aria-hidden />} disabled onClick={() => setDone('lembrar')}>
            Lembrar
          </MenuItem>
          <MenuLinkItem href="#menu">Histórico</MenuLinkItem>
          <MenuItem danger icon={<Trash2 size={18} aria-hidden />} onClick={() => setDone('excluir')}>
            Excluir
          </MenuItem>
        </MenuPopup>
      </MenuRoot>
      <output className="text-sm">Escolhido: {done}</output>
    </Row>
  );
}

function Settings() {
  const [isDue, setIsDue] = useState(true);
  const [isSize, setIsSize] = useState(false);
  const [density, setDensity] = useState('comfortable');
  return (
    <div>
      <MenuRoot modal={false}>
        <MenuTrigger className={buttonClasses('secondary')}>Exibição</MenuTrigger>
        <MenuPopup>
          <MenuSection title="Colunas">
            <MenuCheckboxItem checked={isDue} onCheckedChange={setIsDue} note="Não cabe nesta largura">
              Vencimento
            </MenuCheckboxItem>
            <MenuCheckboxItem checked={isSize} onCheckedChange={setIsSize}>
              Tamanho
            </MenuCheckboxItem>
          </MenuSection>
          <MenuSection title="Altura das linhas">
            <MenuRadioGroup value={density} onValueChange={setDensity}>
              <MenuRadioItem value="comfortable">Confortável</MenuRadioItem>
              <MenuRadioItem value="compact">Compacta</MenuRadioItem>
            </MenuRadioGroup>
          </MenuSection>
        </MenuPopup>
      </MenuRoot>
    </div>
  );
}
