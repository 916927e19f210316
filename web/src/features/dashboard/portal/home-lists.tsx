// The open work of the client on the home page: a sentence, and the lists of what waits, is due or was asked. Loaded on
// demand, which keeps the first load small.
import { useQuery } from '@tanstack/react-query';

import { newAnswerCountQuery, overdueQuery } from '~/features/dashboard/portal-api';
import { unansweredQuery } from '~/features/documents/api/approvals';
import { expiringSoonQuery } from '~/features/documents/api/documents';
import { lastVisitQuery } from '~/features/documents/api/read-receipts';
import { UnansweredCard } from '~/features/documents/components/unanswered-card';
import { missingItemsQuery } from '~/features/requests/api/requests';
import { MissingItemsCard } from '~/features/requests/components/missing-items-card';
import { latestTicketsQuery } from '~/features/tickets/api/tickets';
import { areLoading } from '~/lib/api/are-loading';
import { queryClient } from '~/lib/api/query-client';
import { daysUntil } from '~/lib/dates';

import { ExpiringSoonCard } from './expiring-soon-card';
import { homeSentence } from './home-sentence';
import { HomeSkeleton } from './home-skeleton';
import { LatestTicketsCard } from './latest-tickets-card';
import { OverdueCard } from './overdue-card';

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

/**
 * The open work of the client, what is due soon and the latest tickets. All lists appear at once: one that came later
 * would move those below it under the reader's finger.
 */
export function HomeLists() {
  const lists = [
    useQuery(overdueQuery()),
    useQuery(unansweredQuery()),
    useQuery(missingItemsQuery()),
    useQuery(expiringSoonQuery()),
    useQuery(latestTicketsQuery()),
  ];
  if (areLoading(lists)) return <HomeSkeleton />;
  return (
    <>
      <OverdueCard />
      <UnansweredCard />
      <MissingItemsCard />
      <ExpiringSoonCard />
      <LatestTicketsCard />
    </>
  );
}

/** Starts the queries of this file. The page starts those that it shares with others. */
export function prefetchLists(): void {
  void queryClient.prefetchQuery(overdueQuery());
  void queryClient.prefetchQuery(unansweredQuery());
  void queryClient.prefetchQuery(missingItemsQuery());
  void queryClient.prefetchQuery(lastVisitQuery());
}
