import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

import { Card } from '~/ui/card';
import { EmptyState } from '~/ui/empty-state';
import { ErrorState } from '~/ui/error-state';

import { ButtonLink } from './button-link';
import { DocumentTitle } from './page-header';

type Read<T> = { isPending: boolean; isError: boolean; data: T | null | undefined; refetch: () => unknown };

type RecordPageProps<T> = {
  /** What was read of it; null when there is none. */
  query: Read<T>;
  /** What it is, in a masculine word: 'Ticket'. */
  name: string;
  icon: LucideIcon;
  /** Where all of its kind are. */
  back: { to: string; label: string };
  loading: ReactNode;
  children: (record: T) => ReactNode;
};

/** The screen of one record: still being read, not readable, not there (or someone else's, which looks the same), or shown. */
export function RecordPage<T>({
  query,
  name,
  icon: Icon,
  back,
  loading,
  children,
}: RecordPageProps<T>): ReactNode {
  // What was read once stays in view while it cannot be read anew.
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
