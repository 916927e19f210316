import { type ComponentProps, useState } from 'react';

import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

import { Example, LONG_NAME } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Form">
        <Opened label="Renomear a pasta" title="Renomear pasta" description="Os clientes veem o nome novo.">
          <Field label="Nome da pasta">{(control) => <Input {...control} defaultValue="Impostos" />}</Field>
        </Opened>
      </Example>
      <Example title="Long content">
        <Opened label="Ler os termos" title={`Termos de uso de ${LONG_NAME}`}>
          {Array.from({ length: 30 }, (_, at) => (
            <p key={at}>Cláusula {at + 1}: o portal guarda os documentos que o escritório publica.</p>
          ))}
        </Opened>
      </Example>
    </>
  );
}

type OpenedProps = Pick<ComponentProps<typeof Dialog>, 'title' | 'description' | 'children'> & {
  /** The label of the button that opens the dialog. */
  label: string;
};

function Opened({ label, ...rest }: OpenedProps) {
  const [open, setOpen] = useState(false);
  return (
    <div>
      <Button variant="secondary" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog
        {...rest}
        open={open}
        onOpenChange={setOpen}
        footer={<Button onClick={() => setOpen(false)}>Concluir</Button>}
      />
    </div>
  );
}
