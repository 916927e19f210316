import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { type Column, DataTable } from '~/ui/data-table';

import { Example, LONG_NAME } from '../example';

type Guide = { id: string; name: string; client: string; due: string };

const GUIDES: Guide[] = [
  { id: 'das', name: 'DAS de outubro', client: 'Padaria Aurora', due: '20/11/2026' },
  { id: 'fgts', name: 'FGTS de outubro', client: LONG_NAME, due: '07/11/2026' },
  {
    id: 'iss',
    name: 'Demonstrativo_de_apuracao_consolidado_do_exercicio_2026_matriz_e_filiais_revisado.pdf',
    client: 'CooperativaDosProdutoresRurais'.repeat(3).slice(0, 85),
    due: '10/11/2026',
  },
];

const columns: Column<Guide>[] = [
  { header: 'Documento', cell: ({ name }) => name, primary: true },
  { header: 'Cliente', freeText: true, cell: ({ client }) => client },
  { header: 'Vencimento', cell: ({ due }) => due, className: 'tabular-nums' },
  { header: 'Ações', cell: () => <Button variant="quiet">Abrir</Button>, actions: true },
];

const WIDTHS = ['@4xl:w-2/5', '@4xl:w-1/3', undefined, undefined];
const denseColumns = columns.map((column, at) => ({ ...column, className: WIDTHS[at] ?? '' }));

export function Examples() {
  return (
    <>
      <Example title="Rows in a wide container">
        <Card>
          <DataTable caption="Guias do mês" columns={columns} rows={GUIDES} rowKey={({ id }) => id} />
        </Card>
      </Example>
      <Example title="Dense rows in a wide container">
        <Card>
          <DataTable
            caption="Guias em linhas baixas"
            columns={denseColumns}
            rows={GUIDES}
            rowKey={({ id }) => id}
            dense
          />
        </Card>
      </Example>
      <Example title="Cards in a narrow container">
        <Card className="max-w-sm">
          <DataTable caption="Guias no celular" columns={columns} rows={GUIDES} rowKey={({ id }) => id} />
        </Card>
      </Example>
    </>
  );
}
