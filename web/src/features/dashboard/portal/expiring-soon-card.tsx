// Card of the home page: the documents that are due soon.
import { useQuery } from '@tanstack/react-query';
import { CircleCheckBig } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';

import { QueryList } from '~/components/query-list';
import { expiringSoonQuery } from '~/features/documents/api/documents';
import { isToPay } from '~/features/documents/api/payment-details';
import { DayOffNote } from '~/features/documents/components/day-off-note';
import { ExpiryLabel } from '~/features/documents/components/expiry-label';
import { pluralize } from '~/lib/format';
import { formatMoney } from '~/lib/money';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';
import { FileIcon } from '~/ui/file-icon';
import { SkeletonList } from '~/ui/skeleton';

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
                <Link
                  to={paths.document(document.id)}
                  className="hover:bg-muted flex min-h-16 items-center gap-4 px-5 py-3 transition-colors"
                >
                  <FileIcon type={document.type} path={document.file_url} />
                  <span className="flex min-w-0 flex-1 flex-col gap-x-4 sm:flex-row sm:items-center sm:justify-between">
                    <span className="min-w-0 font-medium wrap-anywhere">{document.name}</span>
                    <span className="flex shrink-0 flex-wrap items-baseline gap-x-3 sm:flex-col sm:items-end">
                      {document.amount_cents !== null && document.status !== 'pending' && (
                        <span className="font-semibold tabular-nums">
                          {formatMoney(document.amount_cents)}
                        </span>
                      )}
                      <ExpiryLabel expiresAt={document.expires_at} />
                    </span>
                  </span>
                </Link>
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
