import { Field } from '~/ui/field';
import { Select, toOptions } from '~/ui/select';

import { Example, LONG_NAME } from '../example';

const options = toOptions({ tax: 'Impostos', payroll: 'Folha de pagamento', other: LONG_NAME });

export function Examples() {
  return (
    <>
      <Example title="Placeholder">
        <Field label="Pasta">
          {(control) => <Select {...control} options={options} placeholder="Escolha uma pasta" />}
        </Field>
      </Example>
      <Example title="Long text">
        <Field label="Categoria">
          {(control) => <Select {...control} options={options} defaultValue="other" />}
        </Field>
      </Example>
      <Example title="Invalid">
        <Field label="Departamento" error="Escolha um departamento.">
          {(control) => <Select {...control} options={options} placeholder="Escolha" />}
        </Field>
      </Example>
      <Example title="Disabled">
        <Field label="Prioridade">{(control) => <Select {...control} options={options} disabled />}</Field>
      </Example>
    </>
  );
}
