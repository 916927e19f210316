import { CalendarDays, List } from 'lucide-react';
import { useState } from 'react';

import { ToggleButton, ToggleGroup } from '~/ui/toggle-group';

import { Example, Row } from '../example';

export function Examples() {
  const [status, setStatus] = useState('all');
  const [view, setView] = useState('list');
  const [isOwn, setIsOwn] = useState(false);
  return (
    <>
      <Example title="Outlined">
        <ToggleGroup
          label="Filtrar por status"
          value={status}
          onChange={setStatus}
          options={[
            { value: 'all', label: 'Todos' },
            { value: 'open', label: 'Abertos' },
            { value: 'waiting', label: 'Aguardando resposta do cliente' },
            { value: 'closed', label: 'Fechados' },
          ]}
        />
      </Example>
      <Example title="Quiet, with icons, beside a toggle button">
        <Row>
          <ToggleGroup
            label="Modo de exibição"
            variant="quiet"
            value={view}
            onChange={setView}
            options={[
              { value: 'list', label: 'Lista', icon: <List size={18} aria-hidden /> },
              { value: 'month', label: 'Mês', icon: <CalendarDays size={18} aria-hidden /> },
            ]}
          />
          <ToggleButton pressed={isOwn} icon={<List size={18} aria-hidden />} onChange={setIsOwn}>
            Só os meus
          </ToggleButton>
        </Row>
      </Example>
    </>
  );
}
