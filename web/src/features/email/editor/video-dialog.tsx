// Dialog that inserts a linked video thumbnail.
import { useState } from 'react';

import { Field } from '~/ui/field';

import { insertImage } from './commands';
import {
  type DialogProps,
  EditorDialog,
  type EditorFormProps,
  INVALID_URL,
  INVALID_IMAGE_URL,
  EditorDialogForm,
  UrlInput,
} from './editor-dialog';
import { videoThumbnailUrl, normalizeLinkUrl, normalizeImageUrl } from './urls';

export function VideoDialog({ editor, open, onClose }: DialogProps) {
  return (
    <EditorDialog
      editor={editor}
      open={open}
      onClose={onClose}
      title="Vídeo"
      description="Vídeos não tocam dentro de um e-mail: entra uma imagem, que leva ao vídeo."
    >
      {(id) => <VideoForm id={id} editor={editor} onClose={onClose} />}
    </EditorDialog>
  );
}

function VideoForm({ id, editor, onClose }: EditorFormProps) {
  const [address, setAddress] = useState('');
  const [picture, setPicture] = useState('');
  const [errors, setErrors] = useState<{ address?: string; picture?: string }>({});
  const known = videoThumbnailUrl(address);
  const submit = () => {
    const to = normalizeLinkUrl(address);
    const shown = picture.trim() === '' ? known : normalizeImageUrl(picture);
    if (to === null) return setErrors({ address: INVALID_URL });
    if (shown === null) return setErrors({ picture: INVALID_IMAGE_URL });
    insertImage(editor, { address: shown, alt: 'Assistir ao vídeo', link: to });
    onClose();
  };
  return (
    <EditorDialogForm id={id} onSubmit={submit}>
      <Field label="Endereço do vídeo *" required error={errors.address}>
        {(control) => (
          <UrlInput
            {...control}
            value={address}
            onType={(typed) => {
              setAddress(typed);
              setErrors({});
            }}
          />
        )}
      </Field>
      <Field
        label={known === null ? 'Endereço da imagem *' : 'Endereço da imagem'}
        required={known === null}
        error={errors.picture}
        hint={
          known === null
            ? 'A imagem que aparece no e-mail.'
            : 'Em branco, vale a imagem que o YouTube mostra.'
        }
      >
        {(control) => (
          <UrlInput
            {...control}
            value={picture}
            onType={(typed) => {
              setPicture(typed);
              setErrors({});
            }}
          />
        )}
      </Field>
    </EditorDialogForm>
  );
}
