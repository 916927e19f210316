import { Clock } from 'lucide-react';

import { Badge } from '~/ui/badge';

import { Example, Row } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Tones">
        <Row>
          <Badge tone="success">Aberto</Badge>
          <Badge tone="warning">Em andamento</Badge>
          <Badge tone="neutral">Fechado</Badge>
          <Badge tone="danger">Vencido</Badge>
          <Badge tone="primary">Novo</Badge>
        </Row>
      </Example>
      <Example title="With an icon">
        <Row>
          <Badge tone="warning" icon={<Clock size={14} aria-hidden />}>
            Vence em 3 dias
          </Badge>
        </Row>
      </Example>
    </>
  );
}
