import { useState } from 'react';

import { Field } from '~/ui/field';

import { insertPicture } from './commands';
import {
  type DialogProps,
  Asking,
  type FormProps,
  BAD_ADDRESS,
  BAD_PICTURE,
  Form,
  AddressInput,
} from './editor-dialog';
import { pictureOfVideo, addressIn, pictureIn } from './urls';

export function VideoDialog({ editor, open, onClose }: DialogProps) {
  return (
    <Asking
      editor={editor}
      open={open}
      onClose={onClose}
      title="Vídeo"
      description="Vídeos não tocam dentro de um e-mail: entra uma imagem, que leva ao vídeo."
    >
      {(id) => <VideoForm id={id} editor={editor} onClose={onClose} />}
    </Asking>
  );
}

function VideoForm({ id, editor, onClose }: FormProps) {
  const [address, setAddress] = useState('');
  const [picture, setPicture] = useState('');
  const [errors, setErrors] = useState<{ address?: string; picture?: string }>({});
  const known = pictureOfVideo(address);
  const submit = () => {
    const to = addressIn(address);
    const shown = picture.trim() === '' ? known : pictureIn(picture);
    if (to === null) return setErrors({ address: BAD_ADDRESS });
    if (shown === null) return setErrors({ picture: BAD_PICTURE });
    insertPicture(editor, { address: shown, words: 'Assistir ao vídeo', link: to });
    onClose();
  };
  return (
    <Form id={id} onSubmit={submit}>
      <Field label="Endereço do vídeo *" required error={errors.address}>
        {(control) => (
          <AddressInput
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
          <AddressInput
            {...control}
            value={picture}
            onType={(typed) => {
              setPicture(typed);
              setErrors({});
            }}
          />
        )}
      </Field>
    </Form>
  );
}
