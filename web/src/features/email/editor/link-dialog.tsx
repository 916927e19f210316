// Dialog that inserts or edits a link.
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
  const [linkText, setLinkText] = useState('');
  const [error, setError] = useState<string>();
  const needsLinkText = editor.state.selection.empty && !existing;
  const submit = () => {
    const to = normalizeLinkUrl(address);
    if (to === null) return setError(INVALID_URL);
    const chain = editor.chain().focus();
    if (needsLinkText) {
      const text = linkText.trim() === '' ? address.trim() : linkText.trim();
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
      {needsLinkText && (
        <Field label="Texto">
          {(control) => (
            <Input
              {...control}
              value={linkText}
              autoComplete="off"
              onChange={({ target }) => setLinkText(target.value)}
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
