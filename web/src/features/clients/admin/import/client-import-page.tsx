import { CircleCheck } from 'lucide-react';
import { useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { UnsavedChanges } from '~/components/unsaved-changes-guard';
import { takenEmails } from '~/features/clients/api/clients';
import { MailsWait } from '~/features/email/components/invite-delivery-hint';
import { useAction } from '~/hooks/use-api-mutation';
import { config } from '~/lib/api/server-config';
import { csvFile } from '~/lib/csv';
import { decodeText } from '~/lib/decode-text';
import { saveFile } from '~/lib/files/download-blob';
import { faultOf } from '~/lib/files/validate-file';
import { formatCount, plural } from '~/lib/format';
import { toast } from '~/lib/toast';
import { paths } from '~/paths';
import { Notice } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { Field } from '~/ui/field';
import { FileDrop } from '~/ui/file-input';
import { ProgressBar } from '~/ui/progress-bar';

import { type ImportTable, readClientTable, TableFault, withoutTaken } from './parse-clients-csv';
import { FaultList } from './row-error-list';
import { type ImportRun, useImport } from './use-client-import';

const FAILED = 'Erro ao ler o arquivo';

export { ClientImportPage as Component };

function ClientImportPage() {
  const [file, setFile] = useState<File | null>(null);
  const [table, setTable] = useState<ImportTable | null>(null);
  const [fault, setFault] = useState<string>();
  const imported = useImport();

  const refuse = (reason: string) => {
    setFile(null);
    setTable(null);
    setFault(reason);
    toast({ title: FAILED, description: reason, tone: 'destructive' });
  };
  const reading = useAction({
    async run(chosen: File) {
      const read = readClientTable(decodeText(await chosen.arrayBuffer()), config().password_min);
      return withoutTaken(read, await takenEmails(read.lines.map(({ email }) => email)));
    },
    onSuccess: setTable,
    onFailure: (error) =>
      refuse(
        error instanceof TableFault
          ? error.message
          : 'Não foi possível comparar o arquivo com os clientes já cadastrados. Tente novamente.',
      ),
  });
  const choose = (chosen: File) => {
    const wrong = faultOf(chosen, config().max_upload_bytes);
    if (wrong) return refuse(wrong);
    setFault(undefined);
    setTable(null);
    setFile(chosen);
    imported.reset();
    reading.run(chosen);
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
          <Button variant="secondary" onClick={saveModel}>
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
            hint="A primeira linha dá nome às colunas: nome, email e, se houver, CPF ou CNPJ e senha. Separadas por ponto e vírgula ou vírgula, como o Excel salva."
          >
            {(control) => (
              <FileDrop
                {...control}
                accept=".csv,.txt,text/csv"
                file={file}
                hint="Um cliente por linha"
                disabled={reading.pending}
                onChoose={choose}
                onRefuse={refuse}
                onRemove={again}
              />
            )}
          </Field>
        )}
        {reading.pending && <p role="status">Conferindo o arquivo…</p>}
        {table && !begun && <Preview table={table} onImport={() => imported.start(table.lines)} />}
        {begun && <Outcome run={run} onStop={imported.stop} onContinue={imported.resume} onAgain={again} />}
      </Card>
      <UnsavedChanges
        when={run.running}
        description="A importação ainda não terminou. O que já foi importado fica."
      />
    </>
  );
}

function Preview({ table: { lines, faults }, onImport }: { table: ImportTable; onImport: () => void }) {
  const invited = lines.filter(({ password }) => password === '').length;
  return (
    <>
      <Notice tone={lines.length === 0 ? 'danger' : 'info'}>
        <p className="font-medium">
          {plural(lines.length, 'cliente pronto para importar', 'clientes prontos para importar')}
          {faults.length > 0 && `, ${plural(faults.length, 'linha com erro', 'linhas com erro')}`}.
        </p>
        {faults.length > 0 && <p>As linhas com erro ficam de fora. Corrija o arquivo e escolha-o de novo.</p>}
        {invited > 0 && (
          <p>
            {plural(invited, 'cliente sem senha recebe', 'clientes sem senha recebem')} um convite por e-mail
            para escolher a própria. <MailsWait />
          </p>
        )}
      </Notice>
      {faults.length > 0 && <FaultList title="Linhas com erro" faults={faults} />}
      <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        <ButtonLink to={paths.adminClients()} variant="secondary">
          Cancelar
        </ButtonLink>
        <Button disabled={lines.length === 0} onClick={onImport}>
          Importar {plural(lines.length, 'cliente', 'clientes')}
        </Button>
      </div>
    </>
  );
}

type OutcomeProps = { run: ImportRun; onStop: () => void; onContinue: () => void; onAgain: () => void };

function Outcome({ run, onStop, onContinue, onAgain }: OutcomeProps) {
  const { running, total, done, invited, faults, left } = run;
  const told = done + faults.length;
  return (
    <>
      {running ? (
        <>
          <ProgressBar
            label={`Importando: ${formatCount(told)} de ${formatCount(total)}`}
            share={told / total}
          />
          <Button variant="secondary" className="self-end" onClick={onStop}>
            Parar
          </Button>
        </>
      ) : (
        <Notice tone={faults.length + left.length === 0 ? 'success' : 'danger'}>
          <p className="font-medium">
            {plural(done, 'cliente importado', 'clientes importados')}
            {faults.length > 0 && `, ${plural(faults.length, 'linha recusada', 'linhas recusadas')}`}
            {left.length > 0 && `, ${plural(left.length, 'linha não enviada', 'linhas não enviadas')}`}.
          </p>
          {invited > 0 && (
            <p>
              {plural(invited, 'convite está', 'convites estão')} na fila de e-mails. <MailsWait />
            </p>
          )}
        </Notice>
      )}
      {faults.length > 0 && <FaultList title="Linhas recusadas" faults={faults} />}
      {!running && (
        <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
          <Button variant="secondary" onClick={onAgain}>
            Importar outro arquivo
          </Button>
          {left.length > 0 && (
            <Button onClick={onContinue}>Continuar com {plural(left.length, 'linha', 'linhas')}</Button>
          )}
          <ButtonLink
            to={paths.adminClients()}
            variant={left.length > 0 ? 'secondary' : 'primary'}
            icon={<CircleCheck size={20} aria-hidden />}
          >
            Ver clientes
          </ButtonLink>
        </div>
      )}
    </>
  );
}

/** A file to fill in. */
function saveModel(): void {
  const rows = [
    ['nome', 'email', 'CPF ou CNPJ', 'senha'],
    ['Padaria Aurora Ltda.', 'contato@padariaaurora.com.br', '11.222.333/0001-81', ''],
  ];
  saveFile(csvFile(rows), 'modelo-de-clientes.csv');
}
