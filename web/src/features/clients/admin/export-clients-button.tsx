import { FileDown } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { everyClient, type ListedClient } from '~/features/clients/api/clients';
import { useAction } from '~/hooks/use-api-mutation';
import { csvFile } from '~/lib/csv';
import { formatDate, formatDateTime, today } from '~/lib/dates';
import { saveFile } from '~/lib/files/download-blob';
import { formatCount, plural } from '~/lib/format';
import { formatTaxId } from '~/lib/tax-id';
import { Button } from '~/ui/button';

const HEADINGS = ['Nome', 'Email', 'CPF ou CNPJ', 'Cadastro', 'Último acesso'];

/** The clients that the search finds, as a table for a spreadsheet; pages of it, so that there may be very many. */
export function ExportClients({ search }: { search: string }) {
  const [read, setRead] = useState(0);
  const calledOff = useRef<AbortController>(null);
  useEffect(() => () => calledOff.current?.abort(), []);
  const action = useAction({
    async run(): Promise<number | null> {
      const controller = new AbortController();
      const { signal } = controller;
      calledOff.current = controller;
      const rows = [HEADINGS];
      setRead(0);
      try {
        for await (const page of everyClient(search, signal)) {
          rows.push(...page.map(cellsOf));
          setRead(rows.length - 1);
        }
      } catch (error) {
        if (signal.aborted) return null;
        throw error;
      }
      saveFile(csvFile(rows), `clientes-${today()}.csv`);
      return rows.length - 1;
    },
    success: (count) =>
      count === null
        ? null
        : {
            title: 'Exportação concluída',
            description: plural(count, 'cliente no arquivo.', 'clientes no arquivo.'),
          },
    failure: { title: 'Erro ao exportar clientes' },
  });
  return (
    <Button
      variant="secondary"
      icon={<FileDown size={20} aria-hidden />}
      pending={action.pending}
      onClick={() => action.run()}
    >
      {action.pending && read > 0 ? formatCount(read) : 'Exportar'}
    </Button>
  );
}

function cellsOf({ fullName, email, taxId, created_at, last_sign_in_at }: ListedClient): string[] {
  return [
    fullName ?? '',
    email,
    taxId === null ? '' : formatTaxId(taxId),
    formatDate(created_at),
    last_sign_in_at === null ? '' : formatDateTime(last_sign_in_at),
  ];
}
