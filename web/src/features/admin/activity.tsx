import { useInfiniteQuery } from '@tanstack/react-query';
import { Download, History } from 'lucide-react';
import type { LoaderFunctionArgs } from 'react-router';

import { activityQuery, readActivity } from '~/data/activity';
import { today } from '~/lib/dates';
import { queryClient } from '~/lib/query';
import { saveFile } from '~/lib/save-file';
import { useAction } from '~/lib/use-action';
import { Button } from '~/ui/button';
import { PageHeader } from '~/ui/page-header';

import { activityCsv } from './activity-csv';
import { ActivityFilters } from './activity-filters';
import { activityColumns } from './activity-table';
import { PagedTable } from './paged-table';
import { filterIn, useActivityParams } from './use-activity-params';

export function loader({ request }: LoaderFunctionArgs) {
  void queryClient.prefetchInfiniteQuery(activityQuery(filterIn(new URL(request.url).searchParams)));
  return null;
}

export function Component() {
  const params = useActivityParams();
  const activity = useInfiniteQuery(activityQuery(params.filter));
  const isEmpty = activity.data?.pages.every((page) => page.length === 0) ?? true;
  const download = useAction({
    run: () => readActivity(params.filter),
    failure: { title: 'Erro ao exportar atividades' },
    onSuccess: (lines) => saveFile(activityCsv(lines), `atividade-${today()}.csv`),
  });
  return (
    <>
      <PageHeader
        title="Atividade"
        description="O que aconteceu no portal, do mais recente ao mais antigo."
        secondary={
          <Button
            variant="secondary"
            icon={<Download size={20} aria-hidden />}
            pending={download.pending}
            disabled={isEmpty}
            onClick={() => download.run()}
          >
            Exportar CSV
          </Button>
        }
      />
      <ActivityFilters {...params} />
      <PagedTable
        list={activity}
        caption="Atividade"
        columns={activityColumns((person) => params.set('pessoa', person))}
        rowKey={({ number }) => String(number)}
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
