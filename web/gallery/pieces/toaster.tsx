import { toast } from '~/lib/toast';
import { Button } from '~/ui/button';

import { Example, LONG_WORD, Row } from '../example';

let deleted = 0;

/** Buttons that show toasts. `main.tsx` contains the toaster. */
export function Examples() {
  return (
    <Example title="Notice, with a button, error">
      <Row>
        <Button variant="secondary" onClick={() => toast({ title: 'Alterações salvas' })}>
          Mostrar aviso
        </Button>
        <Button
          variant="secondary"
          onClick={() => {
            deleted += 1;
            toast({
              title: `Documento ${deleted} excluído`,
              action: { label: 'Desfazer', run: () => toast({ title: 'Documento restaurado' }) },
            });
          }}
        >
          Mostrar aviso com botão
        </Button>
        <Button
          variant="secondary"
          onClick={() =>
            toast({ title: 'Erro ao enviar', description: `${LONG_WORD}.pdf`, variant: 'error' })
          }
        >
          Mostrar erro
        </Button>
      </Row>
    </Example>
  );
}
