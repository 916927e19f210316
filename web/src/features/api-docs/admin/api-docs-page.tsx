// API documentation for staff: the OpenAPI documents in Swagger UI.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { QueryContent } from '~/components/query-content';
import { type DocumentedApi, openApiQuery } from '~/features/api-docs/api';
import { queryClient } from '~/lib/api/query-client';
import { Card } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';
import { ToggleGroup } from '~/ui/toggle-group';

const SwaggerViewer = lazy(async () => ({ default: (await import('./swagger-viewer')).SwaggerViewer }));

const apis: { value: DocumentedApi; label: string }[] = [
  { value: '/rest/v1/', label: 'Tabelas e funções' },
  { value: '/account/v1/', label: 'Dados pessoais' },
];

export function loader() {
  void queryClient.prefetchQuery(openApiQuery('/rest/v1/'));
  return null;
}

export { ApiDocsPage as Component };

function ApiDocsPage() {
  const [api, setApi] = useState<DocumentedApi>('/rest/v1/');
  const document = useQuery(openApiQuery(api));
  const loading = <SkeletonList rows={6} rowClassName="h-12" />;
  return (
    <>
      <PageHeader
        title="Documentação da API"
        description="As chamadas que um programa do escritório pode fazer com a sua conta."
      />
      <ToggleGroup label="API" value={api} options={apis} onChange={setApi} className="mb-6" />
      <QueryContent query={document} loading={loading} card>
        {(data) => (
          <Card>
            <Suspense fallback={loading}>
              <SwaggerViewer key={api} document={data} />
            </Suspense>
          </Card>
        )}
      </QueryContent>
    </>
  );
}
