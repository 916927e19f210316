// Dialog frame for the link, image and video forms of the editor.
import type { Editor } from '@tiptap/core';
import { type ReactNode, useId, type ComponentProps } from 'react';

import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { Input } from '~/ui/input';

export type DialogProps = { editor: Editor; open: boolean; onClose: () => void };

export const INVALID_URL = 'Informe um endereço válido, como https://exemplo.com.br.';
export const INVALID_IMAGE_URL = 'Informe o endereço de uma imagem publicada, que comece com https://.';

export type EditorFormProps = { id: string; editor: Editor; onClose: () => void };

type EditorDialogProps = DialogProps & {
  title: string;
  description?: string;
  /** Form content. It is mounted anew each time the dialog opens. */
  children: (formId: string) => ReactNode;
};

export function EditorDialog({ editor, open, onClose, title, description, children }: EditorDialogProps) {
  const id = useId();
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={title}
      {...(description !== undefined && { description })}
      initialFocus={() => document.getElementById(id)?.querySelector('input') ?? null}
      finalFocus={() => editor.view.dom}
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            Cancelar
          </Button>
          <Button type="submit" form={id}>
            Inserir
          </Button>
        </>
      }
    >
      {children(id)}
    </Dialog>
  );
}

export function EditorDialogForm({
  id,
  onSubmit,
  children,
}: {
  id: string;
  onSubmit: () => void;
  children: ReactNode;
}) {
  return (
    <form
      id={id}
      noValidate
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        // The editor is inside the template form, which must not be submitted too.
        event.stopPropagation();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

type UrlInputProps = Omit<ComponentProps<typeof Input>, 'onChange'> & { onType: (typed: string) => void };

export function UrlInput({ onType, ...control }: UrlInputProps) {
  return (
    <Input
      {...control}
      placeholder="https://"
      autoComplete="off"
      spellCheck={false}
      onChange={({ target }) => onType(target.value)}
    />
  );
}
