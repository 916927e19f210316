import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { IconButton } from '~/ui/icon-button';

import { Example, Row } from '../example';

export function Examples() {
  const [clicks, setClicks] = useState(0);
  const count = () => setClicks(clicks + 1);
  return (
    <>
      <Example title="Enabled">
        <Row>
          <IconButton label="Editar a linha" icon={<Pencil size={20} aria-hidden />} onClick={count} />
          <output className="text-sm">Cliques: {clicks}</output>
        </Row>
      </Example>
      <Example title="Disabled">
        <Row>
          <IconButton
            label="Apagar a linha"
            icon={<Trash2 size={20} aria-hidden />}
            disabled
            onClick={count}
          />
        </Row>
      </Example>
    </>
  );
}
