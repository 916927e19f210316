// Page that imports clients from a CSV file.
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import { findClientsByTaxId, findExistingEmails } from '~/features/clients/api/clients';
import { MailDeliveryHint } from '~/features/email/components/mail-delivery-hint';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { serverConfig } from '~/lib/api/server-config';
import { toCsvBlob } from '~/lib/csv';
import { decodeText } from '~/lib/decode-text';
import { downloadBlob } from '~/lib/files/download-blob';
import { validateFile } from '~/lib/files/validate-file';
import { formatInteger, pluralize } from '~/lib/format';
import { toast } from '~/lib/toast';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { Field } from '~/ui/field';
import { FileInput } from '~/ui/file-input';
import { ProgressBar } from '~/ui/progress-bar';

import {
  type ImportTable,
  parseClientsCsv,
  CsvError,
  excludeExisting,
  taxIdsOf,
  warnOfSharedTaxIds,
} from './parse-clients-csv';
import { RowErrorList } from './row-error-list';
import { type ImportState, useClientImport } from './use-client-import';

const FAILED = 'Erro ao ler o arquivo';

export { ClientImportPage as Component };

function ClientImportPage() {
  const [file, setFile] = useState<File | null>(null);
  const [table, setTable] = useState<ImportTable | null>(null);
  const [fault, setFault] = useState<string>();
  const imported = useClientImport();

  const refuse = (reason: string) => {
    setFile(null);
    setTable(null);
    setFault(reason);
    toast({ title: FAILED, description: reason, variant: 'error' });
  };
  const reading = useApiMutation({
    async mutationFn(chosen: File) {
      const read = parseClientsCsv(decodeText(await chosen.arrayBuffer()), serverConfig().password_min);
      const fresh = excludeExisting(read, await findExistingEmails(read.lines.map(({ email }) => email)));
      const owners = await findClientsByTaxId(taxIdsOf(fresh.lines));
      return warnOfSharedTaxIds(fresh, owners);
    },
    onSuccess: setTable,
    onError: (error) =>
      refuse(
        error instanceof CsvError
          ? error.message
          : 'Não foi possível comparar o arquivo com os clientes já cadastrados. Tente novamente.',
      ),
  });
  const choose = (chosen: File) => {
    const wrong = validateFile(chosen, serverConfig().max_upload_bytes);
    if (wrong) return refuse(wrong);
    setFault(undefined);
    setTable(null);
    setFile(chosen);
    imported.reset();
    reading.mutate(chosen);
  };
  const again = () => {
    setFile(null);
    setTable(null);
    imported.reset();
  };
  const { run } = imported;
  const begun = run.total > 0;

  return (
    <>
      <PageHeader
        title="Importar Clientes"
        back={{ to: paths.adminClients(), label: 'Clientes' }}
        secondary={
          <Button variant="secondary" onClick={downloadTemplate}>
            Baixar modelo
          </Button>
        }
      />
      <Card className="flex max-w-4xl flex-col gap-6 p-5 sm:p-6">
        {!begun && (
          <Field
            label="Arquivo CSV *"
            required
            error={fault}
            hint="A primeira linha dá nome às colunas: nome, email e, se houver, CPF ou CNPJ, telefone e senha. Separadas por ponto e vírgula ou vírgula, como o Excel salva."
          >
            {(control) => (
              <FileInput
                {...control}
                accept=".csv,.txt,text/csv"
                file={file}
                hint="Um cliente por linha"
                disabled={reading.isPending}
                onChoose={choose}
                onRefuse={refuse}
                onRemove={again}
              />
            )}
          </Field>
        )}
        {reading.isPending && <p role="status">Conferindo o arquivo…</p>}
        {table && !begun && <Preview table={table} onImport={() => imported.start(table.lines)} />}
        {begun && <Outcome run={run} onStop={imported.stop} onContinue={imported.resume} onAgain={again} />}
      </Card>
      <UnsavedChangesGuard
        enabled={run.running}
        description="A importação ainda não terminou. O que já foi importado fica."
      />
    </>
  );
}

function Preview({
  table: { lines, rowErrors, warnings },
  onImport,
}: {
  table: ImportTable;
  onImport: () => void;
}) {
  const invited = lines.filter(({ password }) => password === '').length;
  const welcomed = lines.length - invited;
  return (
    <>
      <Alert variant={lines.length === 0 ? 'danger' : 'info'}>
        <p className="font-medium">
          {pluralize(lines.length, 'cliente pronto para importar', 'clientes prontos para importar')}
          {rowErrors.length > 0 && `, ${pluralize(rowErrors.length, 'linha com erro', 'linhas com erro')}`}.
        </p>
        {rowErrors.length > 0 && (
          <p>As linhas com erro ficam de fora. Corrija o arquivo e escolha-o de novo.</p>
        )}
        {warnings.length > 0 && (
          <p>
            {pluralize(warnings.length, 'cliente tem', 'clientes têm')} o CPF ou CNPJ de outro. Confira antes
            de importar.
          </p>
        )}
        {invited > 0 && (
          <p>
            {pluralize(invited, 'cliente sem senha recebe', 'clientes sem senha recebem')} um convite por
            e-mail para escolher a própria.
          </p>
        )}
        {welcomed > 0 && (
          <p>
            {pluralize(welcomed, 'cliente com senha recebe', 'clientes com senha recebem')} um e-mail de
            boas-vindas, sem a senha: combine-a por outro meio.
          </p>
        )}
        {lines.length > 0 && (
          <p>
            <MailDeliveryHint />
          </p>
        )}
      </Alert>
      {rowErrors.length > 0 && <RowErrorList title="Linhas com erro" faults={rowErrors} />}
      {warnings.length > 0 && <RowErrorList title="Linhas a conferir" faults={warnings} />}
      <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        <ButtonLink to={paths.adminClients()} variant="secondary">
          Cancelar
        </ButtonLink>
        <Button disabled={lines.length === 0} onClick={onImport}>
          Importar {pluralize(lines.length, 'cliente', 'clientes')}
        </Button>
      </div>
    </>
  );
}

type OutcomeProps = { run: ImportState; onStop: () => void; onContinue: () => void; onAgain: () => void };

function Outcome({ run, onStop, onContinue, onAgain }: OutcomeProps) {
  const { running, total, done, invited, rowErrors, remaining } = run;
  const processed = done + rowErrors.length;
  return (
    <>
      {running ? (
        <>
          <ProgressBar
            label={`Importando: ${formatInteger(processed)} de ${formatInteger(total)}`}
            value={processed / total}
          />
          <Button variant="secondary" className="self-end" onClick={onStop}>
            Parar
          </Button>
        </>
      ) : (
        <Alert variant={rowErrors.length + remaining.length === 0 ? 'success' : 'danger'}>
          <p className="font-medium">
            {pluralize(done, 'cliente importado', 'clientes importados')}
            {rowErrors.length > 0 && `, ${pluralize(rowErrors.length, 'linha recusada', 'linhas recusadas')}`}
            {remaining.length > 0 &&
              `, ${pluralize(remaining.length, 'linha não enviada', 'linhas não enviadas')}`}
            .
          </p>
          {invited > 0 && (
            <p>
              {pluralize(invited, 'convite está', 'convites estão')} na fila de e-mails. <MailDeliveryHint />
            </p>
          )}
        </Alert>
      )}
      {rowErrors.length > 0 && <RowErrorList title="Linhas recusadas" faults={rowErrors} />}
      {!running && (
        <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
          <Button variant="secondary" onClick={onAgain}>
            Importar outro arquivo
          </Button>
          {remaining.length > 0 && (
            <Button onClick={onContinue}>
              Continuar com {pluralize(remaining.length, 'linha', 'linhas')}
            </Button>
          )}
          <ButtonLink
            to={paths.adminClients()}
            variant={remaining.length > 0 ? 'secondary' : 'primary'}
            icon={<CircleCheck size={20} aria-hidden />}
          >
            Ver clientes
          </ButtonLink>
        </div>
      )}
    </>
  );
}

/** Downloads a template of the CSV file. */
function downloadTemplate(): void {
  const rows = [
    ['nome', 'email', 'CPF ou CNPJ', 'telefone', 'senha'],
    ['Padaria Aurora Ltda.', 'contato@padariaaurora.com.br', '11.222.333/0001-81', '(11) 98765-4321', ''],
  ];
  downloadBlob(toCsvBlob(rows), 'modelo-de-clientes.csv');
}
