// Page of one record.
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

import { Card } from '~/ui/card';
import { EmptyState } from '~/ui/empty-state';
import { ErrorState } from '~/ui/error-state';

import { ButtonLink } from './button-link';
import { DocumentTitle } from './page-header';

type RecordQuery<T> = {
  isPending: boolean;
  isError: boolean;
  data: T | null | undefined;
  refetch: () => unknown;
};

type RecordPageProps<T> = {
  /** The query of the record. Its data is null if the record does not exist. */
  query: RecordQuery<T>;
  /** The name of the record type, a masculine noun in Portuguese: 'Ticket'. */
  name: string;
  icon: LucideIcon;
  /** The link to the list of records. */
  back: { to: string; label: string };
  loading: ReactNode;
  children: (record: T) => ReactNode;
};

/**
 * A page for one record, with its pending, error and not-found states. The server reports a record without permission
 * as not found.
 */
export function RecordPage<T>({
  query,
  name,
  icon: Icon,
  back,
  loading,
  children,
}: RecordPageProps<T>): ReactNode {
  // Loaded data stays visible when a refetch fails.
  if (query.data) return children(query.data);
  if (query.isPending) return loading;
  if (query.isError) {
    return (
      <Card>
        <DocumentTitle title={name} />
        <ErrorState onRetry={() => void query.refetch()} />
      </Card>
    );
  }
  return (
    <Card>
      <DocumentTitle title={`${name} não encontrado`} />
      <EmptyState
        icon={<Icon size={26} />}
        title={`${name} não encontrado`}
        heading
        hint={`O ${name.toLowerCase()} solicitado não existe ou foi removido`}
        action={<ButtonLink to={back.to}>{back.label}</ButtonLink>}
      />
    </Card>
  );
}
