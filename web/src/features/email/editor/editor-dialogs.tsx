// What the toolbar asks before it puts a link, a picture or a video into the text.
import type { Editor } from '@tiptap/core';
import { type ComponentProps, type ReactNode, useId, useState } from 'react';

import { MOST_PICTURE_BYTES } from '~/features/email/template-variables';
import { formatSize } from '~/lib/format';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

import { insertPicture } from './commands';
import { pictureAddress } from './paste';
import { addressIn, pictureIn, pictureOfVideo } from './urls';

type DialogProps = { editor: Editor; open: boolean; onClose: () => void };

const BAD_ADDRESS = 'Informe um endereço válido, como https://exemplo.com.br.';
const BAD_PICTURE = 'Informe o endereço de uma imagem publicada, que comece com https://.';

export function LinkDialog({ editor, open, onClose }: DialogProps) {
  return (
    <Asking editor={editor} open={open} onClose={onClose} title="Link">
      {(id) => <LinkForm id={id} editor={editor} onClose={onClose} />}
    </Asking>
  );
}

function LinkForm({ id, editor, onClose }: FormProps) {
  const href: unknown = editor.getAttributes('link')['href'];
  const existing = typeof href === 'string';
  const [address, setAddress] = useState(existing ? href : '');
  const [words, setWords] = useState('');
  const [error, setError] = useState<string>();
  const needsWords = editor.state.selection.empty && !existing;
  const submit = () => {
    const to = addressIn(address);
    if (to === null) return setError(BAD_ADDRESS);
    const chain = editor.chain().focus();
    if (needsWords) {
      const text = words.trim() === '' ? address.trim() : words.trim();
      chain.insertContent({ type: 'text', text, marks: [{ type: 'link', attrs: { href: to } }] }).run();
    } else chain.extendMarkRange('link').setLink({ href: to }).run();
    onClose();
  };
  return (
    <Form id={id} onSubmit={submit}>
      <Field
        label="Endereço *"
        required
        error={error}
        hint={'Também pode ser {{document.link}}, o documento de que o e-mail trata.'}
      >
        {(control) => (
          <Input
            {...control}
            value={address}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => {
              setAddress(target.value);
              setError(undefined);
            }}
          />
        )}
      </Field>
      {needsWords && (
        <Field label="Texto">
          {(control) => (
            <Input
              {...control}
              value={words}
              autoComplete="off"
              onChange={({ target }) => setWords(target.value)}
            />
          )}
        </Field>
      )}
      {existing && (
        <Button
          variant="quiet-danger"
          className="self-start"
          onClick={() => {
            editor.chain().focus().extendMarkRange('link').unsetLink().run();
            onClose();
          }}
        >
          Remover link
        </Button>
      )}
    </Form>
  );
}

export function ImageDialog({ editor, open, onClose }: DialogProps) {
  return (
    <Asking editor={editor} open={open} onClose={onClose} title="Imagem">
      {(id) => <ImageForm id={id} editor={editor} onClose={onClose} />}
    </Asking>
  );
}

function ImageForm({ id, editor, onClose }: FormProps) {
  const [address, setAddress] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [words, setWords] = useState('');
  const [error, setError] = useState<string>();
  const submit = async () => {
    const picture = file === null ? pictureIn(address) : await pictureAddress(file);
    if (picture === null) return setError(file === null ? BAD_PICTURE : undefined);
    insertPicture(editor, { address: picture, words: words.trim() });
    onClose();
  };
  return (
    <Form id={id} onSubmit={() => void submit()}>
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
        label={`Ou um arquivo de até ${formatSize(MOST_PICTURE_BYTES)}`}
        hint="Muitos programas de e-mail só mostram imagens que têm endereço."
      >
        {(control) => (
          <input
            {...control}
            type="file"
            accept="image/png,image/jpeg,image/gif,image/webp"
            className="file:target file:border-hairline file:bg-surface file:text-ink max-w-full text-sm file:mr-3 file:rounded file:border file:border-solid file:px-4 file:font-medium"
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
            value={words}
            autoComplete="off"
            onChange={({ target }) => setWords(target.value)}
          />
        )}
      </Field>
    </Form>
  );
}

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

type FormProps = { id: string; editor: Editor; onClose: () => void };

type AskingProps = DialogProps & {
  title: string;
  description?: string;
  /** The form, which begins anew each time. */
  children: (formId: string) => ReactNode;
};

function Asking({ editor, open, onClose, title, description, children }: AskingProps) {
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

function Form({ id, onSubmit, children }: { id: string; onSubmit: () => void; children: ReactNode }) {
  return (
    <form
      id={id}
      noValidate
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        // The editor stands in a form of its own, which is not sent by this.
        event.stopPropagation();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

type AddressInputProps = Omit<ComponentProps<typeof Input>, 'onChange'> & { onType: (typed: string) => void };

function AddressInput({ onType, ...control }: AddressInputProps) {
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
