// Dashboard card with the open work: unanswered tickets, unopened documents, files to be filed and failed e-mails, each
// with a count and the action that completes it.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { TextLink } from '~/components/text-link';
import { useRights } from '~/features/auth/rights';
import {
  oldestUnfiledQuery,
  unansweredTicketsQuery,
  unopenedDocumentsQuery,
  type AttentionList,
} from '~/features/dashboard/api';
import { POLL_INTERVAL, smtpStatusQuery, unsentEmailsQuery } from '~/features/email/api/log';
import { REPLY_STATE } from '~/features/tickets/reply-state';
import { areLoading } from '~/lib/api/are-loading';
import { expiryOf, formatDate, formatDateTime } from '~/lib/dates';
import { formatInteger } from '~/lib/format';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { cn } from '~/ui/cn';
import { ErrorState } from '~/ui/error-state';
import { SkeletonList } from '~/ui/skeleton';

import { mailNotice } from './mail-notice';

// Loaded when a reminder is first asked for.
const RemindDocumentsDialog = lazy(async () => ({
  default: (await import('~/features/documents/components/remind-documents-dialog')).RemindDocumentsDialog,
}));

export function AttentionCard() {
  const rights = useRights();
  const { mayWrite, isAdministrator } = rights;
  const [reminded, setReminded] = useState<{ id: string; open: boolean } | null>(null);
  const closeReminder = () => setReminded((last) => last && { ...last, open: false });
  const tickets = useQuery(unansweredTicketsQuery());
  const documents = useQuery(unopenedDocumentsQuery());
  const files = useQuery(oldestUnfiledQuery());
  const status = useQuery(smtpStatusQuery());
  const notice = status.data && mailNotice(status.data, rights);
  // The list follows the queue as the notice above it does.
  const areWaiting = (status.data?.waiting ?? 0) > 0;
  const mails = useQuery({
    ...unsentEmailsQuery(),
    refetchInterval: ({ state: { data } }) =>
      areWaiting || data?.rows.some(({ state }) => state === 'queued') ? POLL_INTERVAL : false,
  });
  // Groups that came one by one would move those below them.
  if (areLoading([tickets, documents, files, status, mails])) {
    return (
      <Panel title="Precisa de atenção" className="max-lg:min-h-dvh">
        <SkeletonList rows={8} className="p-5" rowClassName="h-12" />
      </Panel>
    );
  }
  return (
    <Panel title="Precisa de atenção">
      <Group
        title="Tickets sem resposta"
        none="Nenhum ticket sem resposta."
        waiting={tickets}
        rest={`${paths.adminTickets()}?sem-resposta=1`}
        describe={({ id, subject, client, due_at: at }) => ({
          to: paths.adminTicket(id),
          name: subject,
          client: client ?? 'N/A',
          when: `responder até ${formatDateTime(at)}`,
          late: at !== null && Date.parse(at) < Date.now(),
          ...(mayWrite && { action: 'Responder', actionState: REPLY_STATE }),
        })}
      />
      <Group
        title="Vencem em 7 dias e não foram abertos"
        none="Nenhum documento a vencer sem ser aberto."
        waiting={documents}
        rest={paths.adminUnopened()}
        all={{ to: paths.adminUnopened(), label: 'Ver todos os não abertos' }}
        describe={({ id, name, client, expires_at: at }) => ({
          to: paths.adminDocument(id),
          name,
          client: client ?? 'N/A',
          when: expiryOf(at) === 'today' ? 'vence hoje' : `vence em ${formatDate(at)}`,
          ...(mayWrite && { action: 'Lembrar', onAction: () => setReminded({ id, open: true }) }),
        })}
      />
      <Group
        title="Arquivos recebidos"
        none="Nenhum arquivo a arquivar."
        waiting={files}
        rest={paths.adminReceivedFiles()}
        describe={({ name, client, created_at: at }) => ({
          to: paths.adminReceivedFiles(),
          name,
          client: client ?? 'N/A',
          when: `enviado em ${formatDateTime(at)}`,
          ...(mayWrite && { action: 'Arquivar' }),
        })}
      />
      <Group
        title="E-mails que não saíram"
        none={notice === null ? 'Nenhum e-mail falhou.' : null}
        notice={notice}
        isUrgent={isAdministrator}
        waiting={mails}
        alsoRead={status}
        rest={paths.adminEmailLog()}
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
      {reminded && (
        <Suspense>
          <RemindDocumentsDialog
            open={reminded.open}
            ids={[reminded.id]}
            onClose={closeReminder}
            onDone={closeReminder}
          />
        </Suspense>
      )}
    </Panel>
  );
}

type Described = {
  to: string;
  name: string;
  client?: string;
  when: string;
  /** Whether the time has passed. */
  late?: boolean;
  /** Label of the action, if there is one beyond opening the row. Without `onAction` it opens `to` too. */
  action?: string;
  /** The state of the navigation to `to`. */
  actionState?: string;
  onAction?: () => void;
};

type GroupProps<Row extends { id: string }> = {
  title: string;
  /** Text of an empty list; null while that would mislead. */
  none: string | null;
  notice?: string | null | undefined;
  /** Whether the reader can act on the notice. */
  isUrgent?: boolean;
  waiting: UseQueryResult<AttentionList<Row>>;
  /** Another query that the group needs. */
  alsoRead?: UseQueryResult;
  /** The page with the rows that are not shown here. */
  rest: string;
  /** A page with more of the kind. */
  all?: { to: string; label: string };
  describe: (row: Row) => Described;
};

function Group<Row extends { id: string }>({
  title,
  none,
  notice,
  isUrgent = false,
  waiting,
  alsoRead,
  rest,
  all,
  describe,
}: GroupProps<Row>) {
  const { data } = waiting;
  const failed = [waiting, alsoRead].filter((query) => query?.isLoadingError);
  const more = data ? data.count - data.rows.length : 0;
  return (
    <section className="border-border border-b px-5 py-4 last:border-b-0">
      <h3 className="text-body flex items-baseline justify-between gap-3 font-semibold">
        {title}
        {data && <span className="tabular-nums">{formatInteger(data.count)}</span>}
      </h3>
      {waiting.isPending && <SkeletonList rows={2} rowClassName="h-10" />}
      {failed.length > 0 && (
        <ErrorState className="py-4" onRetry={() => failed.forEach((query) => void query?.refetch())} />
      )}
      {notice && (
        <p className={cn('mt-1 text-sm wrap-anywhere', isUrgent ? 'text-danger' : 'text-muted-foreground')}>
          {notice}
        </p>
      )}
      {data?.count === 0 && none !== null && <p className="text-muted-foreground mt-1 text-sm">{none}</p>}
      {data && data.rows.length > 0 && (
        <ul className="divide-border mt-1 divide-y">
          {data.rows
            .map((row) => ({ id: row.id, ...describe(row) }))
            .map(({ id, to, name, client, when, late, action, actionState, onAction }) => (
              <li key={id} className="flex items-center justify-between gap-4 py-2.5">
                <span className="min-w-0 wrap-anywhere">
                  {/* On phones the link reaches 44 px by a padding over the texts around it. */}
                  <TextLink
                    id={`attention-${id}`}
                    to={to}
                    title={name}
                    className="block font-medium max-sm:-my-2.5 max-sm:py-2.5"
                  >
                    <span className="line-clamp-2">{name}</span>
                  </TextLink>
                  <span className="text-muted-foreground flex flex-col text-sm tabular-nums sm:flex-row sm:gap-1.5">
                    {client !== undefined && (
                      <>
                        <span className="line-clamp-1" title={client}>
                          {client}
                        </span>
                        <span aria-hidden className="max-sm:hidden">
                          ·
                        </span>
                      </>
                    )}
                    <span className={late ? 'text-danger sm:shrink-0' : 'sm:shrink-0'}>{when}</span>
                  </span>
                </span>
                {action !== undefined && (
                  <RowAction
                    to={to}
                    name={name}
                    nameId={`attention-${id}`}
                    label={action}
                    state={actionState}
                    onClick={onAction}
                  />
                )}
              </li>
            ))}
        </ul>
      )}
      <div className="-mb-2 flex flex-wrap gap-x-5 text-sm font-medium empty:hidden">
        {more > 0 && (
          <TextLink to={rest} className="touch-target inline-flex items-center">
            e mais {formatInteger(more)}
          </TextLink>
        )}
        {all && (
          <TextLink to={all.to} className="touch-target inline-flex items-center">
            {all.label}
          </TextLink>
        )}
      </div>
    </section>
  );
}

type RowActionProps = {
  to: string;
  name: string;
  /** ID of the element with the name, which describes a link. */
  nameId: string;
  label: string;
  /** The state of the navigation to `to`. */
  state: string | undefined;
  onClick: (() => void) | undefined;
};

function RowAction({ to, name, nameId, label, state, onClick }: RowActionProps) {
  const look = { variant: 'secondary', className: 'shrink-0 px-3 text-sm print:hidden' } as const;
  if (onClick) {
    return (
      <Button {...look} aria-label={`${label}: ${name}`} onClick={onClick}>
        {label}
      </Button>
    );
  }
  return (
    <ButtonLink {...look} aria-describedby={nameId} to={to} state={state}>
      {label}
    </ButtonLink>
  );
}
