// E-mail log: queued, sent, failed and canceled e-mails.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Inbox } from 'lucide-react';
import { useState } from 'react';
import { type LoaderFunctionArgs, useSearchParams } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { QueryTable } from '~/components/query-table';
import { TextLink } from '~/components/text-link';
import { useRights } from '~/features/auth/rights';
import {
  cancelEmail,
  type Email,
  emailKeys,
  emailLogQuery,
  smtpStatusQuery,
  resendEmail,
} from '~/features/email/api/log';
import { mailEventLabel } from '~/features/email/email-events';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useDebouncedValue } from '~/hooks/use-debounced-value';
import { queryClient } from '~/lib/api/query-client';
import { formatDateTime } from '~/lib/dates';
import { formatInteger } from '~/lib/format';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import type { Column } from '~/ui/data-table';
import { EmailText } from '~/ui/email-text';
import { SearchInput } from '~/ui/search-input';
import { Select } from '~/ui/select';

import { SmtpStatusCard } from '../smtp-status-card';
import { delayText, sentText, parseEmailStatus, emailStatuses, STATE_OPTIONS } from './email-status';

export function loader({ request }: LoaderFunctionArgs) {
  const state = parseEmailStatus(new URL(request.url).searchParams.get('estado'));
  void queryClient.prefetchInfiniteQuery(emailLogQuery({ state, recipient: '' }));
  void queryClient.prefetchQuery(smtpStatusQuery());
  return null;
}

export { EmailLogPage as Component };

function EmailLogPage() {
  const { isAdministrator, mayWrite } = useRights();
  const [params, setParams] = useSearchParams();
  const state = parseEmailStatus(params.get('estado'));
  const [recipient, setRecipient] = useState('');
  const mails = useInfiniteQuery(emailLogQuery({ state, recipient: useDebouncedValue(recipient) }));
  const isFiltered = state !== null || recipient.trim() !== '';
  const filter = (value: string) => setParams(value === '' ? {} : { estado: value }, { replace: true });
  return (
    <>
      <PageHeader
        title="Registro de envios"
        description="Os e-mails do portal, do mais recente ao mais antigo."
        back={
          isAdministrator
            ? { to: paths.adminEmailConfig(), label: 'Config. Email' }
            : { to: paths.adminDashboard(), label: 'Voltar ao Dashboard' }
        }
      />
      <SmtpStatusCard className="mb-6" />
      <div className="mb-6 flex flex-col gap-3 sm:flex-row">
        <SearchInput
          value={recipient}
          onChange={setRecipient}
          placeholder="Buscar por destinatário..."
          maxLength={254}
          className="flex-1 sm:max-w-md"
        />
        <div className="sm:ml-auto sm:w-52">
          <Select
            aria-label="Estado"
            options={STATE_OPTIONS}
            placeholder="Todos os estados"
            value={state ?? ''}
            onChange={({ target }) => filter(target.value)}
          />
        </div>
      </div>
      <QueryTable
        query={mails}
        rows={mails.data?.pages.flat()}
        caption="E-mails"
        columns={mayWrite ? [...columns, actionsColumn] : columns}
        rowKey={({ id }) => id}
        dense
        empty={{
          icon: <Inbox size={26} />,
          title: 'Nenhum e-mail encontrado',
          hint: isFiltered ? 'Tente ajustar seus filtros.' : 'Os e-mails que o portal envia aparecem aqui.',
          ...(isFiltered && {
            action: (
              <Button
                variant="secondary"
                onClick={() => {
                  setRecipient('');
                  filter('');
                }}
              >
                Limpar filtros
              </Button>
            ),
          }),
        }}
      />
    </>
  );
}

const columns: Column<Email>[] = [
  {
    header: 'E-mail',
    primary: true,
    className: '@4xl:w-[25%]',
    text: ({ subject, event }) => `${subject} · ${mailEventLabel(event)}`,
    cell: (mail) => (
      <>
        <Subject mail={mail} />
        <span className="text-muted-foreground text-sm font-normal"> · {mailEventLabel(mail.event)}</span>
      </>
    ),
  },
  {
    header: 'Destinatário',
    freeText: true,
    className: '@4xl:w-[18%]',
    text: ({ recipient }) => recipient,
    cell: ({ recipient }) => <EmailText email={recipient} />,
  },
  {
    header: 'Estado',
    className: '@4xl:w-[22%]',
    // The reason of a failure is what the log is read for.
    whole: true,
    cell: (mail) => {
      const { state, last_error: error, attempts } = mail.digest ?? mail;
      const { label, tone } = emailStatuses[state];
      return (
        <span className="min-w-0 wrap-anywhere">
          <Badge tone={tone}>{label}</Badge>
          <span className="text-muted-foreground text-sm tabular-nums">
            {mail.digest_id !== null && ' em um e-mail com outros avisos'}
            {error !== null && state !== 'sent' && ` ${error}`}
            {attempts > 1 && ` · ${formatInteger(attempts)} tentativas`}
          </span>
        </span>
      );
    },
  },
  {
    header: 'Quando',
    className: 'tabular-nums @4xl:w-[16%]',
    whole: true,
    cell: (mail) => <When mail={mail} />,
  },
];

const actionsColumn: Column<Email> = {
  header: 'Ações',
  actions: true,
  className: '@4xl:w-[19%]',
  cell: (mail) => <Actions mail={mail} />,
};

/** Subject with a link to the document or ticket of the e-mail. */
function Subject({ mail: { subject, document_id: document, ticket_id: ticket } }: { mail: Email }) {
  const to =
    document !== null ? paths.adminDocument(document) : ticket !== null ? paths.adminTicket(ticket) : null;
  if (to === null) return <span className="font-medium">{subject}</span>;
  return (
    <TextLink to={to} className="font-medium">
      {subject}
    </TextLink>
  );
}

function When({ mail }: { mail: Email }) {
  const { created_at } = mail;
  const [sent, delay] = [sentText(mail), delayText(mail)];
  return (
    <span>
      <time dateTime={created_at}>{formatDateTime(created_at)}</time>
      {sent !== null && <span className="text-muted-foreground block text-sm">{sent}</span>}
      {delay !== null && <span className="text-muted-foreground block text-sm">{delay}</span>}
    </span>
  );
}

/** Two of them fit side by side into a row. */
const actionClasses = '@4xl:px-2! @4xl:text-sm!';

function Actions({ mail }: { mail: Email }) {
  const resend = useApiMutation({
    mutationFn: resendEmail,
    invalidates: [emailKeys.all],
    successToast: { title: 'E-mail de volta à fila' },
    errorToast: {
      title: 'Erro ao reenviar e-mail',
      fallback: 'O conteúdo deste e-mail já foi apagado, ou ele já mudou de estado.',
    },
  });
  const sendNow = useApiMutation({
    mutationFn: resendEmail,
    invalidates: [emailKeys.all],
    successToast: () => ({
      title: 'E-mail na frente da fila',
      description:
        queryClient.getQueryData(smtpStatusQuery().queryKey)?.configured === false
          ? 'Ele só sai quando o envio de e-mails estiver ativo.'
          : 'O portal tenta o envio em até um minuto.',
    }),
    errorToast: { title: 'Erro ao enviar e-mail', fallback: 'Este e-mail já saiu da fila.' },
  });
  const cancel = useApiMutation({
    mutationFn: cancelEmail,
    invalidates: [emailKeys.all],
    successToast: { title: 'Envio cancelado' },
    errorToast: { title: 'Erro ao cancelar envio', fallback: 'Este e-mail já saiu da fila.' },
  });
  const { state, recipient } = mail;
  return (
    <span className="-mr-2 inline-flex flex-wrap justify-end @max-4xl:-mr-4 @4xl:flex-nowrap">
      {(state === 'failed' || state === 'cancelled') && (
        <Button
          variant="quiet"
          className={actionClasses}
          aria-label={`Reenviar para ${recipient}`}
          pending={resend.isPending}
          onClick={() => resend.mutate(mail)}
        >
          Reenviar
        </Button>
      )}
      {state === 'queued' && (
        <Button
          variant="quiet"
          className={actionClasses}
          aria-label={`Enviar agora para ${recipient}`}
          pending={sendNow.isPending}
          onClick={() => sendNow.mutate(mail)}
        >
          Enviar agora
        </Button>
      )}
      {state === 'queued' && (
        <Button
          variant="quiet-danger"
          className={actionClasses}
          aria-label={`Cancelar envio para ${recipient}`}
          pending={cancel.isPending}
          onClick={() => cancel.mutate(mail)}
        >
          Cancelar
        </Button>
      )}
    </span>
  );
}
