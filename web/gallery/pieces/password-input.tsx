import { Field } from '~/ui/field';
import { PasswordInput } from '~/ui/password-input';

import { Example } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Hidden">
        <Field label="Senha">
          {(control) => <PasswordInput {...control} autoComplete="current-password" />}
        </Field>
      </Example>
      <Example title="Invalid">
        <Field label="Nova senha" error="A senha precisa de 8 caracteres.">
          {(control) => <PasswordInput {...control} autoComplete="new-password" defaultValue="curta" />}
        </Field>
      </Example>
    </>
  );
}
