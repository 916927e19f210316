import { Checkbox } from '~/ui/checkbox';

import { Example, LONG_NAME } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Label">
        <Checkbox label="Avisar por e-mail" defaultChecked />
      </Example>
      <Example title="Hint">
        <Checkbox label="Pedir ciência" hint="O cliente confirma que leu o documento." />
      </Example>
      <Example title="Disabled">
        <Checkbox label="Enviar uma cópia" disabled />
      </Example>
      <Example title="Long text">
        <Checkbox label={`Publicar também para ${LONG_NAME}`} />
      </Example>
    </>
  );
}
