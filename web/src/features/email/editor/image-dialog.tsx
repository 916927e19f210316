// Dialog that inserts an image.
import { useState } from 'react';

import { MAX_IMAGE_BYTES } from '~/features/email/template-variables';
import { formatSize } from '~/lib/format';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

import { insertImage } from './commands';
import {
  type DialogProps,
  EditorDialog,
  type EditorFormProps,
  INVALID_IMAGE_URL,
  EditorDialogForm,
} from './editor-dialog';
import { fileToDataUrl } from './paste';
import { normalizeImageUrl } from './urls';

export function ImageDialog({ editor, open, onClose }: DialogProps) {
  return (
    <EditorDialog editor={editor} open={open} onClose={onClose} title="Imagem">
      {(id) => <ImageForm id={id} editor={editor} onClose={onClose} />}
    </EditorDialog>
  );
}

function ImageForm({ id, editor, onClose }: EditorFormProps) {
  const [address, setAddress] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [alt, setAlt] = useState('');
  const [error, setError] = useState<string>();
  const submit = async () => {
    const picture = file === null ? normalizeImageUrl(address) : await fileToDataUrl(file);
    if (picture === null) return setError(file === null ? INVALID_IMAGE_URL : undefined);
    insertImage(editor, { address: picture, alt: alt.trim() });
    onClose();
  };
  return (
    <EditorDialogForm id={id} onSubmit={() => void submit()}>
      <Field label="Endereço da imagem" error={error}>
        {(control) => (
          <Input
            {...control}
            value={address}
            placeholder="https://"
            autoComplete="off"
            spellCheck={false}
            disabled={file !== null}
            onChange={({ target }) => {
              setAddress(target.value);
              setError(undefined);
            }}
          />
        )}
      </Field>
      <Field
        label={`Ou um arquivo de até ${formatSize(MAX_IMAGE_BYTES)}`}
        hint="Muitos programas de e-mail só mostram imagens que têm endereço."
      >
        {(control) => (
          <input
            {...control}
            type="file"
            accept="image/png,image/jpeg,image/gif,image/webp"
            className="file:touch-target file:border-border file:bg-card file:text-foreground max-w-full text-sm file:mr-3 file:rounded file:border file:border-solid file:px-4 file:font-medium"
            onChange={({ target }) => {
              setFile(target.files?.[0] ?? null);
              setError(undefined);
            }}
          />
        )}
      </Field>
      <Field label="Descrição" hint="Para quem não vê a imagem.">
        {(control) => (
          <Input
            {...control}
            value={alt}
            autoComplete="off"
            onChange={({ target }) => setAlt(target.value)}
          />
        )}
      </Field>
    </EditorDialogForm>
  );
}
