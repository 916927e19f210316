import { Plus, RefreshCw } from 'lucide-react';
import { useState } from 'react';

import { Button } from '~/ui/button';

import { Example, Row } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Variants">
        <Row>
          <Button>Salvar</Button>
          <Button variant="secondary">Cancelar</Button>
          <Button variant="quiet">Ver todos</Button>
          <Button variant="quiet-danger">Remover</Button>
          <Button variant="danger">Excluir</Button>
        </Row>
      </Example>
      <Example title="With an icon">
        <Row>
          <Button icon={<Plus size={20} aria-hidden />}>Novo cliente</Button>
        </Row>
      </Example>
      <Example title="Disabled">
        <Row>
          <Button disabled>Publicar</Button>
          <Button variant="secondary" disabled>
            Voltar
          </Button>
        </Row>
      </Example>
      <Example title="Pending">
        <Pending />
      </Example>
      <Example title="Long text">
        {/* A label does not wrap. This one is as long as a narrow phone allows. */}
        <Row>
          <Button>Publicar e avisar todos os clientes</Button>
        </Row>
      </Example>
    </>
  );
}

/** Buttons that stay pending after the first one's click. The number shows which clicks arrived. */
function Pending() {
  const [clicks, setClicks] = useState(0);
  return (
    <Row>
      <Button pending={clicks > 0} onClick={() => setClicks(clicks + 1)}>
        Enviar
      </Button>
      <Button variant="secondary" pending={clicks > 0} icon={<RefreshCw size={20} aria-hidden />}>
        Examinar de novo
      </Button>
      <output className="text-sm">Envios: {clicks}</output>
    </Row>
  );
}
