// Activity page, for administrators: audit events with filters and CSV export.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Download, History } from 'lucide-react';
import type { LoaderFunctionArgs } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { QueryTable } from '~/components/query-table';
import { activityQuery, fetchAllActivity } from '~/features/activity/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { queryClient } from '~/lib/api/query-client';
import { today } from '~/lib/dates';
import { downloadBlob } from '~/lib/files/download-blob';
import { Button } from '~/ui/button';

import { activityColumns } from './activity-columns';
import { activityCsv } from './activity-csv';
import { ActivityFilters } from './activity-filters';
import { parseActivityFilters, useActivityFilters } from './use-activity-filters';

export function loader({ request }: LoaderFunctionArgs) {
  void queryClient.prefetchInfiniteQuery(
    activityQuery(parseActivityFilters(new URL(request.url).searchParams)),
  );
  return null;
}

export { ActivityPage as Component };

function ActivityPage() {
  const params = useActivityFilters();
  const activity = useInfiniteQuery(activityQuery(params.filter));
  const isEmpty = activity.data?.pages.every((page) => page.length === 0) ?? true;
  const download = useApiMutation({
    mutationFn: () => fetchAllActivity(params.filter),
    errorToast: { title: 'Erro ao exportar atividades' },
    onSuccess: (lines) => downloadBlob(activityCsv(lines), `atividade-${today()}.csv`),
  });
  return (
    <>
      <PageHeader
        compact
        title="Atividade"
        description="O que aconteceu no portal, do mais recente ao mais antigo."
        secondary={
          <Button
            variant="secondary"
            icon={<Download size={20} aria-hidden />}
            pending={download.isPending}
            disabled={isEmpty}
            onClick={() => download.mutate()}
          >
            Exportar CSV
          </Button>
        }
      />
      <ActivityFilters {...params} />
      <QueryTable
        query={activity}
        rows={activity.data?.pages.flat()}
        caption="Atividade"
        columns={activityColumns((person) => params.set('pessoa', person))}
        rowKey={({ number }) => String(number)}
        dense
        empty={{
          icon: <History size={26} />,
          title: 'Nenhuma atividade encontrada',
          ...(params.isFiltered && {
            hint: 'Tente ajustar seus filtros.',
            action: (
              <Button variant="secondary" onClick={params.clear}>
                Limpar filtros
              </Button>
            ),
          }),
        }}
      />
    </>
  );
}
