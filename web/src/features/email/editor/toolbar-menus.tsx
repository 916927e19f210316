// Menus of the editor toolbar: alignment and colors.
import { Menu } from '@base-ui/react/menu';
import { Toolbar } from '@base-ui/react/toolbar';
import type { Editor } from '@tiptap/core';
import { useEditorState } from '@tiptap/react';
import {
  Baseline,
  Check,
  ChevronDown,
  Highlighter,
  TextAlignCenter,
  TextAlignEnd,
  TextAlignJustify,
  TextAlignStart,
} from 'lucide-react';
import { type ReactNode, useRef } from 'react';

import { type Align, align, getAlignment, getTextStyle, setTextStyle } from './commands';
import { toolbarButtonClasses } from './toolbar-button';

type Choice<Value extends string> = { value: Value; label: string; icon: ReactNode };

const aligns: Choice<Align>[] = [
  { value: 'left', label: 'À esquerda', icon: <TextAlignStart size={20} aria-hidden /> },
  { value: 'center', label: 'Ao centro', icon: <TextAlignCenter size={20} aria-hidden /> },
  { value: 'right', label: 'À direita', icon: <TextAlignEnd size={20} aria-hidden /> },
  { value: 'justify', label: 'Justificado', icon: <TextAlignJustify size={20} aria-hidden /> },
];

const swatch = (color: string): ReactNode => (
  <span
    aria-hidden
    // Color of the e-mail, independent of the portal's theme.
    style={{ backgroundColor: color }}
    className="border-input size-5 rounded-full border"
  />
);
const color = (value: string, label: string): Choice<string> => ({ value, label, icon: swatch(value) });

/** Text colors have enough contrast on white, background colors under dark text. */
const palettes: Record<'color' | 'background-color', Choice<string>[]> = {
  color: [
    color('#1b1f23', 'Preto'),
    color('#5c6670', 'Cinza'),
    color('#0e5a6b', 'Petróleo'),
    color('#2456a6', 'Azul'),
    color('#1a6e45', 'Verde'),
    color('#8a5200', 'Âmbar'),
    color('#b3261e', 'Vermelho'),
    color('#7a3e93', 'Roxo'),
  ],
  'background-color': [
    color('#f3f3ef', 'Cinza claro'),
    color('#e7f0f2', 'Petróleo claro'),
    color('#e3ecfa', 'Azul claro'),
    color('#e6f3ec', 'Verde claro'),
    color('#fbf0df', 'Âmbar claro'),
    color('#fff3a3', 'Amarelo'),
    color('#fbeae8', 'Vermelho claro'),
    color('#f3e8f7', 'Roxo claro'),
  ],
};

export function AlignMenu({ editor }: { editor: Editor }) {
  const now = useEditorState({ editor, selector: (state) => getAlignment(state.editor) });
  return (
    <ChoiceMenu
      label="Alinhamento"
      icon={aligns.find(({ value }) => value === now)?.icon}
      choices={aligns}
      chosen={now}
      onChoose={(value) => align(editor, value)}
    />
  );
}

type ColorMenuProps = { editor: Editor; property: 'color' | 'background-color'; label: string };

export function ColorMenu({ editor, property, label }: ColorMenuProps) {
  const now = useEditorState({ editor, selector: (state) => getTextStyle(state.editor, property) });
  const none = { value: '', label: 'Sem cor', icon: <span className="size-5" /> };
  return (
    <ChoiceMenu
      label={label}
      icon={property === 'color' ? <Baseline size={20} aria-hidden /> : <Highlighter size={20} aria-hidden />}
      choices={[none, ...palettes[property]]}
      chosen={now ?? ''}
      onChoose={(value) => setTextStyle(editor, property, value === '' ? null : value)}
    />
  );
}

type ChoiceMenuProps<Value extends string> = {
  label: string;
  icon: ReactNode;
  choices: Choice<Value>[];
  chosen: Value;
  onChoose: (value: Value) => void;
};

/** Menu of mutually exclusive choices. */
function ChoiceMenu<Value extends string>({
  label,
  icon,
  choices,
  chosen,
  onChoose,
}: ChoiceMenuProps<Value>) {
  const chose = useRef(false);
  return (
    <Menu.Root modal={false}>
      <Toolbar.Button
        render={<Menu.Trigger />}
        aria-label={label}
        title={label}
        className={toolbarButtonClasses}
      >
        {icon}
        <ChevronDown size={14} aria-hidden />
      </Toolbar.Button>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} className="z-50">
          <Menu.Popup
            // A choice moves the focus to the editor, where it must stay.
            finalFocus={() => {
              const leave = chose.current;
              chose.current = false;
              return !leave;
            }}
            className="border-border bg-card shadow-popover max-h-(--available-height) overflow-y-auto rounded border p-1 outline-none"
          >
            <Menu.RadioGroup value={chosen}>
              {choices.map((choice) => (
                <Menu.RadioItem
                  key={choice.value}
                  value={choice.value}
                  closeOnClick
                  onClick={() => {
                    chose.current = true;
                    onChoose(choice.value);
                  }}
                  className="data-highlighted:bg-muted grid min-h-11 cursor-default grid-cols-[auto_1fr_auto] items-center gap-3 rounded-md px-3 outline-none"
                >
                  {choice.icon}
                  {choice.label}
                  <Menu.RadioItemIndicator>
                    <Check size={18} aria-hidden className="text-primary" />
                  </Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
