import { useState } from 'react';

import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';

import { Example, LONG_NAME, Row } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Question">
        <Confirmation
          open="Encerrar o acesso"
          title="Sair dos outros dispositivos?"
          description="Os outros aparelhos pedem a senha de novo."
          confirm="Sair"
        />
      </Example>
      <Example title="Danger, long text">
        <Confirmation
          open="Excluir o cliente"
          title={`Excluir ${LONG_NAME}?`}
          description="Os documentos do cliente são excluídos também."
          confirm="Excluir definitivamente"
          danger
        />
      </Example>
      <Example title="Pending after the confirmation">
        <Confirmation
          open="Publicar tudo"
          title="Publicar 12 documentos?"
          description="Os clientes recebem um aviso."
          confirm="Publicar"
          staysPending
        />
      </Example>
    </>
  );
}

type ConfirmationProps = {
  /** The label of the button that opens the dialog. */
  open: string;
  title: string;
  description: string;
  confirm: string;
  danger?: boolean;
  /** Whether the confirmed action never ends. */
  staysPending?: boolean;
};

function Confirmation({ open: label, staysPending = false, ...rest }: ConfirmationProps) {
  const [open, setOpen] = useState(false);
  const [count, setCount] = useState(0);
  const confirm = () => {
    setCount(count + 1);
    if (!staysPending) setOpen(false);
  };
  return (
    <Row>
      <Button variant="secondary" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <output className="text-sm">Confirmado: {count}</output>
      <ConfirmDialog
        {...rest}
        open={open}
        onOpenChange={setOpen}
        pending={staysPending && count > 0}
        onConfirm={confirm}
      />
    </Row>
  );
}
