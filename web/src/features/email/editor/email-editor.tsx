// Visual editor of e-mail templates, a chunk that loads on demand.
import type { Editor } from '@tiptap/core';
import { EditorContent, useEditor } from '@tiptap/react';
import { type Ref, useImperativeHandle, useRef } from 'react';

import { type ControlProps, labelId } from '~/ui/field';

import './email-editor.css';
import { insertImage } from './commands';
import { fromEditorHtml, toEditorHtml } from './html';
import { sanitizePastedHtml, fileToDataUrl } from './paste';
import { extensions } from './schema';
import { EditorToolbar } from './toolbar';

export { findDroppedMarkup } from './html';

export type EditorHandle = { insert: (text: string) => void; focus: () => void };

type EmailEditorProps = {
  control: ControlProps;
  /** Initial content. The editor is uncontrolled afterwards and reports changes through `onChange`. */
  initial: string;
  onChange: (html: string) => void;
  ref?: Ref<EditorHandle>;
};

export function EmailEditor({ control, initial, onChange, ref }: EmailEditorProps) {
  const toolbar = useRef<HTMLDivElement>(null);
  const { id, ...aria } = control;
  const editor = useEditor({
    extensions,
    content: toEditorHtml(initial),
    // The app's stylesheet contains these rules. The Content-Security-Policy blocks injected style elements.
    injectCSS: false,
    // Typed text stays literal: `- ` does not start a list, `**` does not start bold text.
    enableInputRules: false,
    enablePasteRules: false,
    onUpdate: (event) => onChange(fromEditorHtml(event.editor.getHTML())),
    editorProps: {
      attributes: {
        ...Object.fromEntries(
          Object.entries(aria).flatMap(([name, value]) =>
            value === undefined ? [] : [[name, String(value)]],
          ),
        ),
        id,
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-labelledby': labelId(id),
        class: 'mail-words',
      },
      transformPastedHTML: sanitizePastedHtml,
      handlePaste: (_, { clipboardData }) => {
        // Some programs add an image of the copied text to the clipboard. The HTML has precedence.
        if (clipboardData?.types.includes('text/html') === true) return false;
        return insertImageFiles(clipboardData);
      },
      handleDrop: (_, { dataTransfer }) => insertImageFiles(dataTransfer),
      handleKeyDown: (_, { altKey, key }) => {
        if (!altKey || key !== 'F10') return false;
        toolbar.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
        return true;
      },
    },
  });

  const insertImageFiles = (transfer: DataTransfer | null): boolean => {
    if (!transfer || transfer.files.length === 0) return false;
    for (const file of transfer.files) void insertFile(editor, file);
    return true;
  };

  useImperativeHandle(
    ref,
    () => ({
      insert: (text) => editor.chain().focus().insertContent({ type: 'text', text }).run(),
      focus: () => editor.commands.focus(),
    }),
    [editor],
  );

  return (
    <div
      data-invalid={aria['aria-invalid']}
      className="border-input/60 bg-card focus-within:border-ring data-invalid:border-danger rounded border"
    >
      <EditorToolbar ref={toolbar} editor={editor} controls={id} />
      <EditorContent editor={editor} />
    </div>
  );
}

async function insertFile(editor: Editor, file: File): Promise<void> {
  const address = await fileToDataUrl(file);
  if (address !== null) insertImage(editor, { address, alt: '' });
}
