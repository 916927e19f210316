// Toolbar of the visual editor.
import { Toolbar } from '@base-ui/react/toolbar';
import type { Editor } from '@tiptap/core';
import { useEditorState } from '@tiptap/react';
import {
  Bold,
  Heading1,
  Heading2,
  Heading3,
  Image,
  Italic,
  Link,
  List,
  ListIndentDecrease,
  ListIndentIncrease,
  ListOrdered,
  RemoveFormatting,
  SquarePlay,
  Strikethrough,
  TextQuote,
  Underline,
} from 'lucide-react';
import { type ReactNode, type Ref, useState } from 'react';

import { clearFormatting, indent } from './commands';
import { ImageDialog } from './image-dialog';
import { LinkDialog } from './link-dialog';
import { ToolbarButton } from './toolbar-button';
import { AlignMenu, ColorMenu } from './toolbar-menus';
import { VideoDialog } from './video-dialog';

type Tool = {
  label: string;
  keys?: string;
  icon: ReactNode;
  isActive?: (editor: Editor) => boolean;
  run: (editor: Editor) => void;
};

const heading = (level: 1 | 2 | 3, icon: ReactNode): Tool => ({
  label: `Título ${level}`,
  keys: `Ctrl+Alt+${level}`,
  icon,
  isActive: (editor) => editor.isActive('heading', { level }),
  run: (editor) => editor.chain().focus().toggleHeading({ level }).run(),
});

// Buttons in display order. The dialogs and menus are inserted below.
const groups: { label: string; tools: Tool[] }[] = [
  {
    label: 'Títulos',
    tools: [
      heading(1, <Heading1 size={20} aria-hidden />),
      heading(2, <Heading2 size={20} aria-hidden />),
      heading(3, <Heading3 size={20} aria-hidden />),
    ],
  },
  {
    label: 'Letras',
    tools: [
      {
        label: 'Negrito',
        keys: 'Ctrl+B',
        icon: <Bold size={20} aria-hidden />,
        isActive: (editor) => editor.isActive('bold'),
        run: (editor) => editor.chain().focus().toggleBold().run(),
      },
      {
        label: 'Itálico',
        keys: 'Ctrl+I',
        icon: <Italic size={20} aria-hidden />,
        isActive: (editor) => editor.isActive('italic'),
        run: (editor) => editor.chain().focus().toggleItalic().run(),
      },
      {
        label: 'Sublinhado',
        keys: 'Ctrl+U',
        icon: <Underline size={20} aria-hidden />,
        isActive: (editor) => editor.isActive('underline'),
        run: (editor) => editor.chain().focus().toggleUnderline().run(),
      },
      {
        label: 'Tachado',
        keys: 'Ctrl+Shift+S',
        icon: <Strikethrough size={20} aria-hidden />,
        isActive: (editor) => editor.isActive('strike'),
        run: (editor) => editor.chain().focus().toggleStrike().run(),
      },
    ],
  },
  {
    label: 'Parágrafos',
    tools: [
      {
        label: 'Citação',
        keys: 'Ctrl+Shift+B',
        icon: <TextQuote size={20} aria-hidden />,
        isActive: (editor) => editor.isActive('blockquote'),
        run: (editor) => editor.chain().focus().toggleBlockquote().run(),
      },
      {
        label: 'Lista numerada',
        keys: 'Ctrl+Shift+7',
        icon: <ListOrdered size={20} aria-hidden />,
        isActive: (editor) => editor.isActive('orderedList'),
        run: (editor) => editor.chain().focus().toggleOrderedList().run(),
      },
      {
        label: 'Lista com marcadores',
        keys: 'Ctrl+Shift+8',
        icon: <List size={20} aria-hidden />,
        isActive: (editor) => editor.isActive('bulletList'),
        run: (editor) => editor.chain().focus().toggleBulletList().run(),
      },
      {
        label: 'Diminuir recuo',
        icon: <ListIndentDecrease size={20} aria-hidden />,
        run: (editor) => indent(editor, -1),
      },
      {
        label: 'Aumentar recuo',
        icon: <ListIndentIncrease size={20} aria-hidden />,
        run: (editor) => indent(editor, 1),
      },
    ],
  },
];
const tools = groups.flatMap((group) => group.tools);

type EditorToolbarProps = {
  editor: Editor;
  /** ID of the controlled editor element. */
  controls: string;
  ref?: Ref<HTMLDivElement>;
};

/** Toolbar with a single tab stop. Arrow keys move between the buttons. */
export function EditorToolbar({ editor, controls, ref }: EditorToolbarProps) {
  const [asking, setAsking] = useState<'link' | 'image' | 'video' | null>(null);
  const active = useEditorState({
    editor,
    selector: (now) => ({
      tools: tools.filter(({ isActive }) => isActive?.(now.editor)).map(({ label }) => label),
      link: now.editor.isActive('link'),
    }),
  });
  const close = () => setAsking(null);
  return (
    <>
      <Toolbar.Root
        {...(ref && { ref })}
        aria-label="Formatação"
        aria-controls={controls}
        className="border-border flex flex-wrap gap-x-1 border-b p-1"
      >
        {groups.map(({ label: name, tools: all }) => (
          <Toolbar.Group key={name} aria-label={name} className="flex max-sm:contents">
            {all.map(({ label, keys, icon, isActive, run }) => (
              <ToolbarButton
                key={label}
                label={label}
                {...(keys !== undefined && { keys })}
                icon={icon}
                {...(isActive && { pressed: active.tools.includes(label) })}
                onClick={() => run(editor)}
              />
            ))}
          </Toolbar.Group>
        ))}
        <Toolbar.Group aria-label="Inserir" className="flex max-sm:contents">
          <ToolbarButton
            label="Link"
            icon={<Link size={20} aria-hidden />}
            pressed={active.link}
            onClick={() => setAsking('link')}
          />
          <ToolbarButton
            label="Imagem"
            icon={<Image size={20} aria-hidden />}
            onClick={() => setAsking('image')}
          />
          <ToolbarButton
            label="Vídeo"
            icon={<SquarePlay size={20} aria-hidden />}
            onClick={() => setAsking('video')}
          />
        </Toolbar.Group>
        <Toolbar.Group aria-label="Aparência" className="flex max-sm:contents">
          <AlignMenu editor={editor} />
          <ColorMenu editor={editor} property="color" label="Cor do texto" />
          <ColorMenu editor={editor} property="background-color" label="Cor de fundo" />
          <ToolbarButton
            label="Limpar formatação"
            icon={<RemoveFormatting size={20} aria-hidden />}
            onClick={() => clearFormatting(editor)}
          />
        </Toolbar.Group>
      </Toolbar.Root>
      <LinkDialog editor={editor} open={asking === 'link'} onClose={close} />
      <ImageDialog editor={editor} open={asking === 'image'} onClose={close} />
      <VideoDialog editor={editor} open={asking === 'video'} onClose={close} />
    </>
  );
}
