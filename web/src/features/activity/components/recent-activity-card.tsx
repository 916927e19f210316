// Dashboard card with the ten latest audit events, without sign-ins.
import { useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';

import { QueryList } from '~/components/query-list';
import { TextLink } from '~/components/text-link';
import { actorLabel, eventLabel, subjectLabel } from '~/features/activity/activity-labels';
import { type ActivityEntry, recentActivityQuery } from '~/features/activity/api';
import { formatDateTime } from '~/lib/dates';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

export function RecentActivityCard() {
  const latest = useQuery(recentActivityQuery());
  return (
    <Panel
      title="Atividade Recente"
      action={
        <TextLink
          to={paths.adminActivity()}
          className="touch-target inline-flex items-center text-sm font-medium"
        >
          Ver tudo
        </TextLink>
      }
    >
      <QueryList
        query={latest}
        rows={latest.data}
        loading={<SkeletonList rows={5} rowClassName="h-12" />}
        empty={{ icon: <History size={26} />, title: 'Nenhuma atividade recente para exibir.' }}
      >
        {(lines) => (
          <ul>
            {lines.map((line) => (
              <li
                key={line.number}
                className="border-border flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 border-b px-5 py-3 last:border-b-0 sm:max-lg:flex-nowrap"
              >
                <span className="min-w-0 wrap-anywhere lg:w-full">
                  <EventText line={line} />
                  <span className="text-muted-foreground block text-sm">{actorLabel(line)}</span>
                </span>
                <time
                  dateTime={line.created_at}
                  className="text-muted-foreground text-sm whitespace-nowrap tabular-nums"
                >
                  {formatDateTime(line.created_at)}
                </time>
              </li>
            ))}
          </ul>
        )}
      </QueryList>
    </Panel>
  );
}

function EventText({ line }: { line: ActivityEntry }) {
  const subject = subjectLabel(line);
  return (
    <>
      <span className="font-medium">{eventLabel(line)}</span>
      {subject !== null && <span>: {subject}</span>}
    </>
  );
}
