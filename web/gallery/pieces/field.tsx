import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

import { Example, LONG_NAME } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Label">
        <Field label="Nome">{(control) => <Input {...control} />}</Field>
      </Example>
      <Example title="Hint, required">
        <Field label="E-mail *" hint="O cliente entra no portal com este e-mail." required>
          {(control) => <Input {...control} type="email" />}
        </Field>
      </Example>
      <Example title="Error and hint">
        <Field label="CNPJ" hint="14 dígitos" error="O CNPJ não é válido.">
          {(control) => <Input {...control} defaultValue="11.222.333/0001-80" />}
        </Field>
      </Example>
      <Example title="Long text">
        <Field label={`Nome que aparece para ${LONG_NAME}`} hint={`Como em “${LONG_NAME}”.`}>
          {(control) => <Input {...control} />}
        </Field>
      </Example>
    </>
  );
}
