import { Button } from '~/ui/button';
import { Card, Panel } from '~/ui/card';

import { Example, LONG_NAME } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Card">
        <Card className="p-5">Um conteúdo com borda e fundo.</Card>
      </Example>
      <Example title="Panel">
        <Panel title="Documentos recentes" action={<Button variant="quiet">Abrir a lista</Button>}>
          <p className="p-5">DAS de outubro de 2026</p>
        </Panel>
      </Example>
      <Example title="Panel with a long title">
        <Panel title={LONG_NAME}>
          <p className="p-5">Nenhum documento.</p>
        </Panel>
      </Example>
    </>
  );
}
