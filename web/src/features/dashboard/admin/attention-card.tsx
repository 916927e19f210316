// Dashboard card with the open work: unanswered tickets, unopened documents and failed e-mails, each with a count.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';

import { TextLink } from '~/components/text-link';
import { unansweredTicketsQuery, unopenedDocumentsQuery, type AttentionList } from '~/features/dashboard/api';
import { isStuck, smtpStatusQuery, unsentEmailsQuery } from '~/features/email/api/log';
import type { SmtpStatus } from '~/lib/api/database';
import { formatDate, formatDateTime } from '~/lib/dates';
import { formatInteger, pluralize } from '~/lib/format';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';
import { ErrorState } from '~/ui/error-state';
import { SkeletonList } from '~/ui/skeleton';

export function AttentionCard() {
  const tickets = useQuery(unansweredTicketsQuery());
  const documents = useQuery(unopenedDocumentsQuery());
  const mails = useQuery(unsentEmailsQuery());
  const status = useQuery(smtpStatusQuery());
  return (
    <Panel title="Precisa de atenção">
      <Group
        title="Tickets sem resposta"
        none="Nenhum ticket sem resposta."
        waiting={tickets}
        describe={({ id, subject, due_at: at }) => ({
          to: paths.adminTicket(id),
          name: subject,
          when: `responder até ${formatDateTime(at)}`,
        })}
      />
      <Group
        title="Vencem em 7 dias e não foram abertos"
        none="Nenhum documento a vencer sem ser aberto."
        waiting={documents}
        describe={({ id, name, expires_at: at }) => ({
          to: paths.adminDocument(id),
          name,
          when: `vence em ${formatDate(at)}`,
        })}
      />
      <Group
        title="E-mails que não saíram"
        none={status.data && mailNotice(status.data) === null ? 'Nenhum e-mail falhou.' : null}
        notice={status.data && mailNotice(status.data)}
        waiting={mails}
        describe={({ recipient, state, created_at: at, next_attempt_at: next }) => ({
          to: paths.adminEmailLog(state),
          name: recipient,
          when:
            state === 'failed'
              ? `falhou, de ${formatDateTime(at)}`
              : Date.parse(next) > Date.now()
                ? `nova tentativa em ${formatDateTime(next)}`
                : `na fila desde ${formatDateTime(at)}`,
        })}
      />
    </Panel>
  );
}

/** The reason why e-mails do not leave, null if there is none. */
function mailNotice(status: SmtpStatus): string | null {
  const { configured, last_error, waiting } = status;
  const queued = pluralize(waiting, 'e-mail espera', 'e-mails esperam');
  if (configured && last_error !== null) {
    return `O servidor de e-mail não está enviando: ${last_error}${waiting > 0 ? ` ${queued} na fila.` : ''}`;
  }
  if (!isStuck(status)) return null;
  return configured ? `${queued} na fila.` : `O envio de e-mails não está configurado: ${queued} na fila.`;
}

type GroupProps<Row extends { id: string }> = {
  title: string;
  /** Text of an empty list; null while that would mislead. */
  none: string | null;
  notice?: string | null | undefined;
  waiting: UseQueryResult<AttentionList<Row>>;
  describe: (row: Row) => { to: string; name: string; when: string };
};

function Group<Row extends { id: string }>({ title, none, notice, waiting, describe }: GroupProps<Row>) {
  const { data } = waiting;
  const more = data ? data.count - data.rows.length : 0;
  return (
    <section className="border-border border-b px-5 py-4 last:border-b-0">
      <h3 className="text-body flex items-baseline justify-between gap-3 font-semibold">
        {title}
        {data && <span className="tabular-nums">{formatInteger(data.count)}</span>}
      </h3>
      {waiting.isPending && <SkeletonList rows={2} rowClassName="h-10" />}
      {waiting.isError && <ErrorState className="py-4" onRetry={() => void waiting.refetch()} />}
      {notice && <p className="text-danger mt-1 text-sm wrap-anywhere">{notice}</p>}
      {data?.count === 0 && none !== null && <p className="text-muted-foreground mt-1 text-sm">{none}</p>}
      {data && data.rows.length > 0 && (
        <ul className="mt-2 flex flex-col gap-2">
          {data.rows
            .map((row) => ({ id: row.id, ...describe(row) }))
            .map(({ id, to, name, when }) => (
              <li key={id} className="min-w-0 wrap-anywhere">
                <TextLink to={to} className="font-medium">
                  {name}
                </TextLink>
                <span className="text-muted-foreground block text-sm tabular-nums">{when}</span>
              </li>
            ))}
        </ul>
      )}
      {more > 0 && (
        <p className="text-muted-foreground mt-2 text-sm">
          {more === 1 ? 'e mais 1' : `e mais ${formatInteger(more)}`}
        </p>
      )}
    </section>
  );
}
