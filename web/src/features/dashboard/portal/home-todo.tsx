// The open work of the client on the home page: a sentence, the overdue documents and the requests of the office. Loaded
// on demand, which keeps the first load small.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import { newAnswerCountQuery, overdueQuery } from '~/features/dashboard/portal-api';
import { unansweredQuery } from '~/features/documents/api/approvals';
import { expiringSoonQuery } from '~/features/documents/api/documents';
import { lastVisitQuery } from '~/features/documents/api/read-receipts';
import { DayOffNote } from '~/features/documents/components/day-off-note';
import { ExpiryLabel } from '~/features/documents/components/expiry-label';
import { UnansweredCard } from '~/features/documents/components/unanswered-card';
import { missingItemsQuery } from '~/features/requests/api/requests';
import { MissingItemsCard } from '~/features/requests/components/missing-items-card';
import { daysUntil } from '~/lib/dates';
import { isPaidInTime } from '~/lib/days-off';
import { pluralize } from '~/lib/format';
import { formatMoney } from '~/lib/money';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';
import { FileIcon } from '~/ui/file-icon';

import { homeSentence } from './home-sentence';

/** Blank while it loads, and a general description if a query failed: the sentence never claims what was not counted. */
export function HomeSentence() {
  const overdue = useQuery(overdueQuery());
  const soon = useQuery(expiringSoonQuery());
  const requests = useQuery(missingItemsQuery());
  const unanswered = useQuery(unansweredQuery());
  const lastVisit = useQuery(lastVisitQuery());
  const answers = useQuery({
    ...newAnswerCountQuery(lastVisit.data ?? null),
    enabled: lastVisit.data !== undefined,
  });
  if (
    [overdue, soon, unanswered, requests, lastVisit, answers].some(({ isLoadingError }) => isLoadingError)
  ) {
    return 'Seus documentos, vencimentos e atendimentos.';
  }
  if (!overdue.data || !soon.data || !unanswered.data || !requests.data || answers.data === undefined) {
    return '\u00A0';
  }
  const sentence = homeSentence({
    overdue: overdue.data.total,
    today: soon.data.documents.filter(
      ({ expires_at: at, document_payments: payments }) =>
        at !== null && daysUntil(at) === 0 && payments.length === 0,
    ).length,
    unanswered: unanswered.data.total,
    requests: requests.data.total,
    answers: answers.data,
  });
  return <span className="text-foreground font-medium">{sentence}</span>;
}

export function HomeTodo() {
  return (
    <>
      <OverdueCard />
      <UnansweredCard />
      <MissingItemsCard />
    </>
  );
}

/** Shows nothing if nothing is overdue. */
function OverdueCard() {
  const { data } = useQuery(overdueQuery());
  if (!data || data.total === 0) return null;
  const more = data.total - data.documents.length;
  return (
    <Panel title="Vencidos">
      <ul className="divide-border divide-y">
        {data.documents.map((document) => (
          <li key={document.id}>
            <Link
              to={paths.document(document.id)}
              className="hover:bg-muted flex min-h-16 items-center gap-4 px-5 py-3 transition-colors"
            >
              <FileIcon type={document.type} path={document.file_url} />
              <span className="flex min-w-0 flex-1 flex-col gap-x-4 sm:flex-row sm:items-center sm:justify-between">
                <span className="min-w-0 font-medium wrap-anywhere">{document.name}</span>
                <span className="flex shrink-0 flex-wrap items-baseline gap-x-3 sm:flex-col sm:items-end">
                  {document.amount_cents !== null && (
                    <span className="font-semibold tabular-nums">{formatMoney(document.amount_cents)}</span>
                  )}
                  <ExpiryLabel expiresAt={document.expires_at} />
                </span>
              </span>
            </Link>
            {isPaidInTime(document.expires_at, document.category) && (
              <DayOffNote
                expiresAt={document.expires_at}
                category={document.category}
                className="px-5 pb-4 font-medium sm:pl-15"
              />
            )}
          </li>
        ))}
        {more > 0 && (
          <li>
            <Link
              to={paths.documents()}
              className="text-primary hover:bg-muted flex min-h-12 items-center justify-center px-5 text-sm font-medium"
            >
              e mais {pluralize(more, 'vencido', 'vencidos')}
            </Link>
          </li>
        )}
      </ul>
    </Panel>
  );
}
