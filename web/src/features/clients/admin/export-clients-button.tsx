// Button that exports the clients of a search as CSV.
import { FileDown } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { iterateClients, type ClientListItem } from '~/features/clients/api/clients';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { toCsvBlob } from '~/lib/csv';
import { formatDate, formatDateTime, today } from '~/lib/dates';
import { downloadBlob } from '~/lib/files/download-blob';
import { formatInteger, pluralize } from '~/lib/format';
import { formatTaxId } from '~/lib/tax-id';
import { Button } from '~/ui/button';

const HEADINGS = ['Nome', 'Email', 'CPF ou CNPJ', 'Cadastro', 'Último acesso'];

/** Exports the clients of a search. The request is paginated, so that the number of clients is unlimited. */
export function ExportClientsButton({ search }: { search: string }) {
  const [read, setRead] = useState(0);
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const action = useApiMutation({
    async mutationFn(): Promise<number | null> {
      const controller = new AbortController();
      const { signal } = controller;
      running.current = controller;
      const rows = [HEADINGS];
      setRead(0);
      try {
        for await (const page of iterateClients(search, signal)) {
          rows.push(...page.map(cellsOf));
          setRead(rows.length - 1);
        }
      } catch (error) {
        if (signal.aborted) return null;
        throw error;
      }
      downloadBlob(toCsvBlob(rows), `clientes-${today()}.csv`);
      return rows.length - 1;
    },
    successToast: (count) =>
      count === null
        ? null
        : {
            title: 'Exportação concluída',
            description: pluralize(count, 'cliente no arquivo.', 'clientes no arquivo.'),
          },
    errorToast: { title: 'Erro ao exportar clientes' },
  });
  return (
    <Button
      variant="secondary"
      icon={<FileDown size={20} aria-hidden />}
      pending={action.isPending}
      onClick={() => action.mutate()}
    >
      {action.isPending && read > 0 ? formatInteger(read) : 'Exportar'}
    </Button>
  );
}

function cellsOf({ fullName, email, taxId, created_at, last_sign_in_at }: ClientListItem): string[] {
  return [
    fullName ?? '',
    email,
    taxId === null ? '' : formatTaxId(taxId),
    formatDate(created_at),
    last_sign_in_at === null ? '' : formatDateTime(last_sign_in_at),
  ];
}
