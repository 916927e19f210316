import { Input, Textarea } from '~/ui/input';

import { Example, LONG_NAME } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Text">
        <Input aria-label="Assunto" placeholder="Sobre o que é o ticket?" />
      </Example>
      <Example title="Long text">
        <Input aria-label="Razão social" defaultValue={LONG_NAME} />
      </Example>
      <Example title="Invalid">
        <Input aria-label="Telefone do contato" aria-invalid defaultValue="11 9999" />
      </Example>
      <Example title="Disabled">
        <Input aria-label="Código" disabled defaultValue="ABC-123" />
      </Example>
      <Example title="Several lines">
        <Textarea aria-label="Mensagem" defaultValue={`Bom dia,\n\nsegue a dúvida de ${LONG_NAME}`} />
      </Example>
    </>
  );
}
