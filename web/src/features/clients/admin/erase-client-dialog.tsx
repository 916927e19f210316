// Dialog that erases the personal data of a client (LGPD).
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import { Link } from 'react-router';

import { type Client, clientListKeys } from '~/features/clients/api/clients';
import {
  type ErasureResult,
  eraseClient,
  type ErasurePreview,
  erasurePreviewQuery,
  type Mention,
} from '~/features/clients/api/erasure';
import { documentKeys } from '~/features/documents/api/documents';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { pluralize } from '~/lib/format';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { ErrorState } from '~/ui/error-state';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';
import { SkeletonList } from '~/ui/skeleton';

type EraseClientDialogProps = {
  client: Client;
  open: boolean;
  onClose: () => void;
  onErased: () => void;
};

/** Two steps: a preview of erased and retained records, then the typed e-mail address as confirmation. */
export function EraseClientDialog({ client, open, onClose, onErased }: EraseClientDialogProps) {
  const [confirming, setConfirming] = useState(false);
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();
  const plan = useQuery({ ...erasurePreviewQuery(client.id), enabled: open });
  const erasure = useApiMutation({
    mutationFn: eraseClient,
    invalidates: [...clientListKeys, documentKeys.all, ticketKeys.all],
    successToast: (erased) => ({ title: 'Dados pessoais apagados', description: describeErasure(erased) }),
    errorToast: { title: 'Erro ao apagar os dados', fallback: 'Nada foi apagado. Tente novamente.' },
    onSuccessIfMounted: () => {
      onClose();
      onErased();
    },
  });
  const erase = () => {
    if (typed.trim().toLowerCase() === client.email) erasure.mutate({ client, typed });
    else setError('O e-mail digitado não é o do cliente.');
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && !erasure.isPending && onClose()}
      title="Apagar dados pessoais"
      className="sm:max-w-lg"
      footer={
        // Distinct keys give each step its own buttons, so that a double click cannot confirm the second step.
        confirming ? (
          <Fragment key="confirm">
            <Button variant="secondary" disabled={erasure.isPending} onClick={() => setConfirming(false)}>
              Voltar
            </Button>
            <Button variant="danger" type="submit" form="erasure" pending={erasure.isPending}>
              Apagar definitivamente
            </Button>
          </Fragment>
        ) : (
          <Fragment key="look">
            <Button variant="secondary" onClick={onClose}>
              Cancelar
            </Button>
            <Button variant="danger" disabled={!plan.isSuccess} onClick={() => setConfirming(true)}>
              Continuar
            </Button>
          </Fragment>
        )
      }
    >
      {confirming ? (
        <form
          id="erasure"
          noValidate
          className="flex flex-col gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            if (!erasure.isPending) erase();
          }}
        >
          <p>
            Os dados de{' '}
            <strong className="font-medium wrap-anywhere">{client.fullName ?? client.email}</strong> serão
            apagados agora, e ninguém poderá trazê-los de volta, nem por um backup.
          </p>
          <Field
            label="E-mail do cliente *"
            required
            error={error}
            hint={
              <>
                Para confirmar, digite <span className="text-foreground wrap-anywhere">{client.email}</span>
              </>
            }
          >
            {(control) => (
              <Input
                {...control}
                value={typed}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                ref={focus}
                onChange={({ target: { value } }) => {
                  setError(undefined);
                  setTyped(value);
                }}
              />
            )}
          </Field>
        </form>
      ) : (
        <>
          {plan.isPending && <SkeletonList rows={3} rowClassName="h-14" />}
          {plan.isError && <ErrorState onRetry={() => void plan.refetch()} />}
          {plan.isSuccess && <Consequences plan={plan.data} />}
        </>
      )}
    </Dialog>
  );
}

/** Moves the focus to the only input of the second step. */
function focus(input: HTMLInputElement | null): void {
  input?.focus();
}

function Consequences({ plan }: { plan: ErasurePreview }) {
  const more = plan.held_count - plan.held.length;
  return (
    <div className="flex flex-col gap-5">
      <Part title="O que será apagado">
        <li>O acesso, o cadastro e as sessões do cliente</li>
        {plan.documents > 0 && (
          <li>{pluralize(plan.documents, 'documento, com o arquivo', 'documentos, com os arquivos')}</li>
        )}
        {plan.tickets > 0 && (
          <li>{pluralize(plan.tickets, 'ticket', 'tickets')}, com mensagens, notas internas e anexos</li>
        )}
        {plan.mails > 0 && <li>{pluralize(plan.mails, 'e-mail', 'e-mails')} do registro de envios</li>}
        {plan.lines > 0 && (
          <li>
            O nome do cliente em {pluralize(plan.lines, 'linha do registro', 'linhas do registro')} de
            atividade
          </li>
        )}
      </Part>
      <Part title="O que fica">
        {plan.held.map(({ id, name, folder, reason }) => (
          <li key={id} className="wrap-anywhere">
            <Link to={paths.adminDocument(id)} className="text-primary underline">
              {name}
            </Link>{' '}
            ({folder}), sob guarda legal: {reason}
          </li>
        ))}
        {more > 0 && <li>e mais {pluralize(more, 'documento', 'documentos')} sob guarda legal</li>}
        <li>As linhas do registro de atividade, sem o nome: que algo aconteceu, e quando</li>
        <li>
          Os backups feitos antes, até serem descartados; ao restaurar um deles, os dados são apagados de novo
        </li>
      </Part>
      {plan.mentions.length > 0 && (
        <Part title="Para o escritório conferir">
          {plan.mentions.map((mention) => (
            <li key={mention.table + mention.id} className="wrap-anywhere">
              {places[mention.table]}{' '}
              <Link to={mentionPath(mention)} className="text-primary underline">
                {mention.name}
              </Link>
            </li>
          ))}
          <li className="text-muted-foreground list-none">
            Estes textos do escritório citam o cliente e não são mudados.
          </li>
        </Part>
      )}
      <p className="text-muted-foreground text-sm">
        O cliente é avisado por um último e-mail, se o portal envia e-mails.
      </p>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="text-body font-semibold">{title}</h3>
      <ul className="marker:text-muted-foreground text-body mt-1.5 flex list-disc flex-col gap-1 pl-5">
        {children}
      </ul>
    </section>
  );
}

const places: Record<Mention['table'], string> = {
  email_templates: 'Template',
  saved_replies: 'Resposta pronta',
  folders: 'Pasta',
  documents: 'Documento de outro cliente:',
  tickets: 'Ticket de outro cliente:',
};

function mentionPath({ table, id }: Mention): string {
  if (table === 'email_templates') return paths.adminEmailTemplateEdit(id);
  if (table === 'saved_replies') return paths.adminSavedReplies();
  if (table === 'folders') return paths.adminFolders();
  return table === 'documents' ? paths.adminDocument(id) : paths.adminTicket(id);
}

function describeErasure({ documents, tickets, held }: ErasureResult): string {
  const deleted = `${pluralize(documents, 'documento', 'documentos')} e ${pluralize(tickets, 'ticket', 'tickets')} foram apagados.`;
  return held === 0
    ? deleted
    : `${deleted} ${pluralize(held, 'documento fica', 'documentos ficam')} sob guarda legal.`;
}
