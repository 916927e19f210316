import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

import { Card } from '~/ui/card';
import { EmptyState } from '~/ui/empty-state';
import { ErrorState } from '~/ui/error-state';

import { ButtonLink } from './button-link';
import { DocumentTitle, PageHeader } from './page-header';
import { QueryPending } from './query-content';

type Read<T> = {
  isPending: boolean;
  isPaused?: boolean;
  isError: boolean;
  data: T | null | undefined;
  refetch: () => unknown;
};

type NotFoundProps = {
  icon: LucideIcon;
  title: string;
  hint: string;
  /** Content below the hint. */
  children?: ReactNode;
  /** The page that lists the records. */
  back: { to: string; label: string };
};

type RecordPageProps<T> = {
  /** Null when there is no such record. */
  query: Read<T>;
  /** The heading while the record cannot be read. */
  title: string;
  notFound: Omit<NotFoundProps, 'back'>;
  back: NotFoundProps['back'];
  loading: ReactNode;
  children: (record: T) => ReactNode;
};

/** The page of one record: loading, error, not found (which a record of another person is too), or the record. */
export function RecordPage<T>({
  query,
  title,
  notFound,
  back,
  loading,
  children,
}: RecordPageProps<T>): ReactNode {
  // The record stays in view while a refetch fails.
  if (query.data) return children(query.data);
  const header = <PageHeader title={title} back={back} />;
  if (query.isPending) {
    return (
      <>
        {query.isPaused && header}
        <QueryPending query={query} loading={loading} card />
      </>
    );
  }
  if (query.isError) {
    return (
      <>
        {header}
        <Card>
          <ErrorState onRetry={() => void query.refetch()} />
        </Card>
      </>
    );
  }
  return <RecordNotFound {...notFound} back={back} />;
}

export function RecordNotFound({ icon: Icon, title, hint, back, children }: NotFoundProps) {
  return (
    <Card>
      <DocumentTitle title={title} />
      <EmptyState
        icon={<Icon size={26} />}
        title={title}
        heading
        hint={hint}
        action={<ButtonLink to={back.to}>{back.label}</ButtonLink>}
      />
      {children}
    </Card>
  );
}
