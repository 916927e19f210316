import { useState } from 'react';

import { Button } from '~/ui/button';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

import {
  type DialogProps,
  EditorDialog,
  type EditorFormProps,
  INVALID_URL,
  EditorDialogForm,
} from './editor-dialog';
import { normalizeLinkUrl } from './urls';

export function LinkDialog({ editor, open, onClose }: DialogProps) {
  return (
    <EditorDialog editor={editor} open={open} onClose={onClose} title="Link">
      {(id) => <LinkForm id={id} editor={editor} onClose={onClose} />}
    </EditorDialog>
  );
}

function LinkForm({ id, editor, onClose }: EditorFormProps) {
  const href: unknown = editor.getAttributes('link')['href'];
  const existing = typeof href === 'string';
  const [address, setAddress] = useState(existing ? href : '');
  const [words, setWords] = useState('');
  const [error, setError] = useState<string>();
  const needsWords = editor.state.selection.empty && !existing;
  const submit = () => {
    const to = normalizeLinkUrl(address);
    if (to === null) return setError(INVALID_URL);
    const chain = editor.chain().focus();
    if (needsWords) {
      const text = words.trim() === '' ? address.trim() : words.trim();
      chain.insertContent({ type: 'text', text, marks: [{ type: 'link', attrs: { href: to } }] }).run();
    } else chain.extendMarkRange('link').setLink({ href: to }).run();
    onClose();
  };
  return (
    <EditorDialogForm id={id} onSubmit={submit}>
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
    </EditorDialogForm>
  );
}
