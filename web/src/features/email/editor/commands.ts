// Editor commands of the toolbar that TipTap does not provide: text and block styles, and image insertion.
import type { Editor } from '@tiptap/core';

import { getProperty, setProperty } from './inline-style';

const INDENT_STEP = 2;
const MOST_INDENT = 16;

export type Align = 'left' | 'center' | 'right' | 'justify';

/** Sets a style of the selected or next typed text. Null removes it. */
export function setTextStyle(editor: Editor, property: string, value: string | null): void {
  editor
    .chain()
    .focus()
    .command(({ tr, state }) => {
      const { styled } = state.schema.marks;
      if (!styled) return false;
      const { from, to, empty, $from } = tr.selection;
      if (empty) {
        const marks = tr.storedMarks ?? $from.marks();
        const style = setProperty(textOf(styled.isInSet(marks)?.attrs['style']), property, value);
        if (style === null) tr.removeStoredMark(styled);
        else tr.addStoredMark(styled.create({ style }));
        return true;
      }
      tr.doc.nodesBetween(from, to, (node, at) => {
        if (!node.isText) return;
        const [start, end] = [Math.max(from, at), Math.min(to, at + node.nodeSize)];
        const style = setProperty(textOf(styled.isInSet(node.marks)?.attrs['style']), property, value);
        if (style === null) tr.removeMark(start, end, styled);
        else tr.addMark(start, end, styled.create({ style }));
      });
      return true;
    })
    .run();
}

export function getTextStyle(editor: Editor, property: string): string | null {
  return getProperty(textOf(editor.getAttributes('styled')['style']), property);
}

export function align(editor: Editor, to: Align): void {
  styleBlocks(editor, (style) => setProperty(style, 'text-align', to === 'left' ? null : to));
}

export function getAlignment(editor: Editor): Align {
  const value = getProperty(styleOfBlock(editor), 'text-align');
  return value === 'center' || value === 'right' || value === 'justify' ? value : 'left';
}

/** Changes the level of a list item, or the margin of any other block. */
export function indent(editor: Editor, direction: 1 | -1): void {
  if (editor.isActive('listItem')) {
    const chain = editor.chain().focus();
    (direction === 1 ? chain.sinkListItem('listItem') : chain.liftListItem('listItem')).run();
    return;
  }
  styleBlocks(editor, (style) => {
    const now = Number.parseFloat(getProperty(style, 'margin-left') ?? '0') || 0;
    const next = Math.min(MOST_INDENT, Math.max(0, now + direction * INDENT_STEP));
    return setProperty(style, 'margin-left', next === 0 ? null : `${next}em`);
  });
}

/** Removes all marks and block styles. */
export function clearFormatting(editor: Editor): void {
  editor.chain().focus().unsetAllMarks().clearNodes().run();
  styleBlocks(editor, () => null);
}

export function insertImage(
  editor: Editor,
  { address, alt, link }: { address: string; alt: string; link?: string },
): void {
  editor
    .chain()
    .focus()
    .insertContent({
      type: 'image',
      attrs: { src: address, alt, style: 'max-width: 100%; height: auto' },
      ...(link !== undefined && { marks: [{ type: 'link', attrs: { href: link } }] }),
    })
    .run();
}

function styleBlocks(editor: Editor, restyled: (style: string | null) => string | null): void {
  editor
    .chain()
    .focus()
    .command(({ tr }) => {
      const { from, to } = tr.selection;
      tr.doc.nodesBetween(from, to, (node, at) => {
        if (!node.isTextblock) return;
        tr.setNodeAttribute(at, 'style', restyled(textOf(node.attrs['style'])));
      });
      return true;
    })
    .run();
}

function styleOfBlock(editor: Editor): string | null {
  return textOf(editor.state.selection.$from.parent.attrs['style']);
}

/** Attribute value as a string, null for other types. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
