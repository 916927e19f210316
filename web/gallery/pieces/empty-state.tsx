import { FileX, Users } from 'lucide-react';

import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { EmptyState } from '~/ui/empty-state';

import { Example } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Hint and action">
        <Card>
          <EmptyState
            icon={<Users size={26} />}
            title="Nenhum cliente encontrado"
            hint="Cadastre o primeiro cliente."
            action={<Button>Cadastrar cliente</Button>}
          />
        </Card>
      </Example>
      <Example title="Heading of a page">
        <Card>
          <EmptyState icon={<FileX size={26} />} title="Documento não encontrado" heading />
        </Card>
      </Example>
    </>
  );
}
