// Card of the home page: the documents that are due soon.
import { useQuery } from '@tanstack/react-query';
import { CircleCheckBig } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';

import { QueryList } from '~/components/query-list';
import { expiringSoonQuery } from '~/features/documents/api/documents';
import { isToPay } from '~/features/documents/api/payment-details';
import { DayOffNote } from '~/features/documents/components/day-off-note';
import { pluralize } from '~/lib/format';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

import { DueDocumentLink } from './due-document-link';

// Loaded on demand, because many clients have nothing to pay here.
const CopyCodes = lazy(async () => ({
  default: (await import('~/features/documents/components/copy-codes')).CopyCodes,
}));

export function ExpiringSoonCard() {
  const soon = useQuery(expiringSoonQuery());
  const more = (soon.data?.total ?? 0) - (soon.data?.documents.length ?? 0);
  return (
    <Panel title="Vencimentos Próximos">
      <QueryList
        query={soon}
        rows={soon.data?.documents}
        loading={<SkeletonList rows={3} className="p-5" rowClassName="h-12" />}
        empty={{ icon: <CircleCheckBig size={26} />, title: 'Nenhum vencimento próximo' }}
      >
        {(documents) => (
          <ul className="divide-border divide-y">
            {documents.map((document) => (
              <li key={document.id}>
                <DueDocumentLink document={document} />
                {isToPay(document) && (
                  <div className="px-5 pb-4 sm:pl-15">
                    <DayOffNote
                      expiresAt={document.expires_at}
                      category={document.category}
                      className="mb-3 font-medium"
                    />
                    <div className="flex min-h-11 flex-wrap gap-2 max-sm:*:grow print:hidden">
                      <Suspense>
                        <CopyCodes document={document} variant="secondary" named />
                      </Suspense>
                    </div>
                  </div>
                )}
              </li>
            ))}
            {more > 0 && (
              <li>
                <Link
                  to={paths.calendar()}
                  className="text-primary hover:bg-muted flex min-h-12 items-center justify-center px-5 text-sm font-medium"
                >
                  Ver mais {pluralize(more, 'vencimento', 'vencimentos')} no calendário
                </Link>
              </li>
            )}
          </ul>
        )}
      </QueryList>
    </Panel>
  );
}
